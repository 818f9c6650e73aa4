package corpus_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"candor/corpus"
	"candor/internal/vaulttest"
)

// A mask in front matter has brackets, which YAML takes for a list; it is shown whole
// nevertheless, wherever a value can stand.
func TestMasksInFrontMatterAreWhole(t *testing.T) {
	key := "AKIA" + "IOSFODNN7EXAMPLE"
	const mask = "[REDACTED:aws-key]"
	for form, head := range map[string]string{
		"plain":  "title: KEY\naliases: KEY\ntags: KEY",
		"quoted": "title: \"KEY\"\naliases: ['KEY']\ntags: [\"KEY\"]",
		"lists":  "title: KEY\naliases: [KEY]\ntags:\n  - KEY",
		"blocks": "title: >-\n  KEY\naliases:\n  - |\n    KEY\ntags: [ KEY ]",
	} {
		c := open(t, vaulttest.WriteMap(t, map[string]string{
			"public/a.md": "---\n" + strings.ReplaceAll(head, "KEY", key) + "\n---\ntext\n",
		}), corpus.Options{})
		n := c.Snapshot("guest").Note("public/a.md")
		got := []string{n.Title, strings.Join(n.Tags, ","), strings.Join(n.Chunks[0].Aliases, ",")}
		if diff := cmp.Diff([]string{mask, mask, mask}, got); diff != "" {
			t.Errorf("%s: %s", form, diff)
		}
	}
}
