package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"candor/tokens"
)

// tokenCmd looks after the tokens of the HTTP door.
type tokenCmd struct {
	New    tokenNewCmd    `cmd:"" help:"Make a token that opens --profile, and print it once."`
	List   tokenListCmd   `cmd:"" help:"List the tokens; what was printed is not kept."`
	Revoke tokenRevokeCmd `cmd:"" help:"End a token now, in a running server too."`
	Rotate tokenRotateCmd `cmd:"" help:"Replace a token by a new one, and print it once."`
}

// lifetime is a span of time that may be written in days.
type lifetime time.Duration

// UnmarshalText reads "90d" as well as "12h".
func (l *lifetime) UnmarshalText(text []byte) error {
	const longest = 3650 * 24 * time.Hour
	var d time.Duration
	var err error
	if days, ok := strings.CutSuffix(string(text), "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		d = time.Duration(min(max(n, 0), 10_000)) * 24 * time.Hour
	} else {
		d, err = time.ParseDuration(string(text))
	}
	if err != nil || d < time.Second || d > longest {
		return errors.New("must be a span such as 90d or 12h, of at most 3650d")
	}
	*l = lifetime(d)
	return nil
}

// tokenPlace is where tokens are kept.
type tokenPlace struct {
	Tokens string `placeholder:"FILE" help:"The token file; else one for this configuration in the user's configuration folder."`
}

// tokenNewCmd makes a token.
type tokenNewCmd struct {
	tokenPlace

	Expires lifetime `default:"90d" placeholder:"SPAN" help:"How long it is good, such as 90d or 12h."`
}

// Run prints the token alone on stdout, and what else is to be known on stderr.
func (c *tokenNewCmd) Run(a *app) error {
	if a.Profile == "" {
		return withHint(errors.New("a token opens one profile, and none is named"), "candor token new --profile NAME")
	}
	file, err := a.tokenFile(c.Tokens)
	if err != nil {
		return err
	}
	token, r, err := file.New(a.Profile, time.Duration(c.Expires))
	if err != nil {
		return err
	}
	return a.showToken(token, r)
}

// tokensThere is tokenFile for what needs no profile: where a flag names the file, a
// configuration that is broken does not keep a token from being revoked.
func (a *app) tokensThere(flag string) (tokens.File, error) {
	if flag != "" {
		return tokens.File(flag), nil
	}
	return a.tokenFile(flag)
}

// tokenFile finds the token file of the configuration, whose profile is checked.
func (a *app) tokenFile(flag string) (tokens.File, error) {
	s := &site{}
	defer s.close()
	if err := s.configure(a); err != nil {
		return "", err
	}
	return s.tokenFile(a, flag)
}

// tokenFile is the file that a flag names, else the configuration's own. Each has one of
// its own, so that a token of one opens nothing in another.
func (s *site) tokenFile(a *app, flag string) (tokens.File, error) {
	if flag != "" {
		return tokens.File(flag), nil
	}
	if s.cfg.Places.Config == "" {
		return "", withHint(errors.New("there is no home to keep tokens in"), "--tokens FILE names a place")
	}
	name := "demo"
	switch {
	case a.Demo: // whose folder is another each time
	case s.cfg.File != "":
		name = digest(s.cfg.File)
	default:
		name = digest(s.cfg.Vaults[0].Root)
	}
	return tokens.File(filepath.Join(s.cfg.Places.Config, "tokens", name+".json")), nil
}

// showToken prints a token, the only time that it can be seen.
func (a *app) showToken(token string, r tokens.Record) error {
	if a.JSON {
		return a.out.json(struct {
			Token string `json:"token"`
			tokenLine
		}{token, newTokenLine(r)})
	}
	fmt.Fprintf(a.Stderr, "token %s opens the profile %s until %s; it is shown this once\n",
		r.ID, plain(r.Profile), minute(r.Expires))
	_, err := fmt.Fprintln(a.Stdout, token)
	return err
}

// minute writes a time: a token may be good for hours only.
func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04Z") }

// tokenLine is what may be shown of a record.
type tokenLine struct {
	ID      string    `json:"id"`
	Profile string    `json:"profile"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
	Expired bool      `json:"expired"`
}

func newTokenLine(r tokens.Record) tokenLine {
	return tokenLine{r.ID, r.Profile, r.Created, r.Expires, r.Expired(time.Now())}
}

// tokenListCmd lists.
type tokenListCmd struct{ tokenPlace }

// Run lists the tokens, without their hashes.
func (c *tokenListCmd) Run(a *app) error {
	file, err := a.tokensThere(c.Tokens)
	if err != nil {
		return err
	}
	records, err := file.List()
	if err != nil {
		return err
	}
	lines := []tokenLine{}
	for _, r := range records {
		lines = append(lines, newTokenLine(r))
	}
	return a.show(map[string]any{"file": file, "tokens": lines}, func() { a.out.tokens(lines) })
}

// tokens prints a table.
func (p printer) tokens(lines []tokenLine) {
	w := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	for _, l := range lines {
		state := ""
		if l.Expired {
			state = "  expired"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s%s\n", plain(l.ID), plain(l.Profile), minute(l.Created), minute(l.Expires), state)
	}
	w.Flush()
}

// tokenRevokeCmd ends a token.
type tokenRevokeCmd struct {
	tokenPlace

	ID string `arg:"" name:"id" help:"As candor token list names it."`
}

// Run forgets the token. A running server refuses it at once and ends its open streams.
func (c *tokenRevokeCmd) Run(a *app) error {
	file, err := a.tokensThere(c.Tokens)
	if err != nil {
		return err
	}
	return file.Revoke(c.ID)
}

// tokenRotateCmd replaces a token.
type tokenRotateCmd struct {
	tokenPlace

	ID string `arg:"" name:"id" help:"As candor token list names it."`
}

// Run prints the new token alone on stdout; the old one is refused from then on.
func (c *tokenRotateCmd) Run(a *app) error {
	file, err := a.tokensThere(c.Tokens)
	if err != nil {
		return err
	}
	token, r, err := file.Rotate(c.ID)
	if err != nil {
		return err
	}
	return a.showToken(token, r)
}
