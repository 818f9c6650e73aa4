package evals

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"candor"
)

// CheckTopics compares topics with the vault they are asked of, and names each that
// would measure nothing: an expected note or heading that is not there can only be
// missed, and a misspelt denied note can only be denied. A phrase that is never to
// be seen must stand in a note of its topic, where it names one. Systems that are
// no Opener cannot be checked.
func CheckTopics(ctx context.Context, sys System, topics []Topic) error {
	opener, ok := sys.(Opener)
	if !ok {
		return nil
	}
	var faults []error
	for _, t := range topics {
		if err := checkTopic(ctx, opener, t); err != nil {
			faults = append(faults, fmt.Errorf("topic %s: %w", t.ID, err))
		}
	}
	return errors.Join(faults...)
}

func checkTopic(ctx context.Context, opener Opener, t Topic) error {
	var all strings.Builder
	open := func(path candor.Path) (string, error) {
		text, err := opener.Open(ctx, path)
		if errors.Is(err, candor.ErrNotFound) {
			return "", fmt.Errorf("%s is not in the vault", path)
		}
		all.WriteString(text)
		return text, err
	}
	for _, e := range t.Expect {
		text, err := open(e.Path)
		if err != nil {
			return err
		}
		if e.Heading != "" && !hasHeading(text, e.Heading) {
			return fmt.Errorf("%s has no heading %q", e.Path, e.Heading)
		}
	}
	for _, path := range t.Stale {
		if _, err := open(path); err != nil {
			return err
		}
	}
	for _, phrase := range t.Never {
		if len(t.Expect)+len(t.Stale) > 0 && !strings.Contains(all.String(), phrase) {
			return errors.New("a phrase under never stands in none of its notes")
		}
	}
	return nil
}

// hasHeading looks for the words of a heading on a line of their own, whatever marks
// it as one: a note's title may also come from its front matter.
func hasHeading(text, heading string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		line = strings.TrimSpace(strings.TrimPrefix(strings.Trim(line, "# "), "title:"))
		if fold(strings.Trim(line, `"'`)) == fold(heading) {
			return true
		}
	}
	return false
}
