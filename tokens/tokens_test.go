package tokens

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"candor"
)

const day = 24 * time.Hour

func tempFile(t *testing.T) File {
	t.Helper()
	return File(filepath.Join(t.TempDir(), "candor", "tokens.json"))
}

func mustNew(t *testing.T, f File, profile string) (string, Record) {
	t.Helper()
	token, r, err := f.New(profile, 90*day)
	if err != nil {
		t.Fatal(err)
	}
	return token, r
}

func mustOpen(t *testing.T, f File) *Store {
	t.Helper()
	s, err := Open(f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// opens gives the profile that a token opens, "" for none.
func opens(s *Store, token string) string {
	profile, _, ok := s.Authorize(token)
	if !ok {
		return ""
	}
	return profile
}

// ended waits for a channel that must be closed soon.
func ended(t *testing.T, ends <-chan struct{}) {
	t.Helper()
	select {
	case <-ends:
	case <-time.After(10 * time.Second):
		t.Error("what was begun under the token goes on")
	}
}

func TestTokenOpensItsProfile(t *testing.T) {
	f := tempFile(t)
	staff, r := mustNew(t, f, "staff")
	guest, _ := mustNew(t, f, "guest")
	if !strings.HasPrefix(staff, Prefix) || len(staff) != tokenSize || staff == guest {
		t.Errorf("tokens %q and %q", staff, guest)
	}
	if d := r.Expires.Sub(r.Created); d != 90*day {
		t.Errorf("lives %s", d)
	}
	s := mustOpen(t, f)
	if opens(s, staff) != "staff" || opens(s, guest) != "guest" {
		t.Errorf("staff opens %q, guest %q", opens(s, staff), opens(s, guest))
	}
	other, _ := mustNew(t, tempFile(t), "staff")
	changed := []byte(staff)
	changed[20] ^= 1
	for _, bad := range []string{
		"", Prefix, staff[:len(staff)-1], staff + "\n", " " + staff, staff + staff, strings.ToUpper(staff), string(changed), other, r.SHA256, r.ID,
	} {
		if p := opens(s, bad); p != "" {
			t.Errorf("%q opens %q", bad, p)
		}
	}
	data, err := os.ReadFile(string(f))
	if err != nil || strings.Contains(string(data), staff[len(Prefix):]) {
		t.Errorf("the token itself is on file: %v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for path, want := range map[string]os.FileMode{string(f): 0o600, filepath.Dir(string(f)): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestRevokedAtOnce(t *testing.T) {
	f := tempFile(t)
	staff, r := mustNew(t, f, "staff")
	guest, _ := mustNew(t, f, "guest")
	s := mustOpen(t, f)
	_, staffEnds, _ := s.Authorize(staff)
	_, guestEnds, _ := s.Authorize(guest)
	go s.Watch(t.Context(), func(error) {})
	if err := f.Revoke(r.ID); err != nil {
		t.Fatal(err)
	}
	ended(t, staffEnds)
	if opens(s, staff) != "" || opens(s, guest) != "guest" {
		t.Errorf("after revoking staff: staff opens %q, guest %q", opens(s, staff), opens(s, guest))
	}
	select {
	case <-guestEnds:
		t.Error("another token's streams were ended")
	default:
	}
	var input *candor.InputError
	if err := f.Revoke(r.ID); !errors.As(err, &input) {
		t.Errorf("revoked twice: %v", err)
	}
	if err := os.Remove(string(f)); err != nil {
		t.Fatal(err)
	}
	ended(t, guestEnds)
	if opens(s, guest) != "" {
		t.Error("a token opens a profile without a file")
	}
	guest, _ = mustNew(t, f, "guest") // without a restart
	if opens(s, guest) != "guest" {
		t.Error("a new file is not read")
	}
}

func TestRotate(t *testing.T) {
	f := tempFile(t)
	old, r := mustNew(t, f, "staff")
	s := mustOpen(t, f)
	_, ends, _ := s.Authorize(old)
	token, again, err := f.Rotate(r.ID)
	if err != nil || again.ID != r.ID || again.Profile != "staff" || again.Expires.Sub(again.Created) != 90*day {
		t.Fatalf("%+v, %v", again, err)
	}
	if opens(s, old) != "" || opens(s, token) != "staff" {
		t.Errorf("old opens %q, new %q", opens(s, old), opens(s, token))
	}
	ended(t, ends)
	if _, _, err := f.Rotate("none"); err == nil {
		t.Error("an unknown id was rotated")
	}
}

func TestExpires(t *testing.T) {
	f := tempFile(t)
	token, r := mustNew(t, f, "staff")
	s := mustOpen(t, f)
	_, ends, _ := s.Authorize(token)
	s.now = func() time.Time { return r.Expires.Add(-1) }
	if opens(s, token) != "staff" {
		t.Error("expired too early")
	}
	s.now = func() time.Time { return r.Expires }
	if opens(s, token) != "" {
		t.Error("opens a profile after its time")
	}
	if err := s.look(); err != nil {
		t.Error(err)
	}
	ended(t, ends)
	if opens(s, token) != "" {
		t.Error("opens a profile after its time")
	}
}

// TestRefusedFiles: what is absent, doubled or foreign in a file is refused, not guessed. (Cases
// 77 and 79 of the attacks, fault 4 of grounded-mcp: a token names one profile, and one token one record.)
func TestRefusedFiles(t *testing.T) {
	f := tempFile(t)
	mustNew(t, f, "staff")
	data, err := os.ReadFile(string(f))
	if err != nil {
		t.Fatal(err)
	}
	var c content
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	r := c.Tokens[0]
	line, _ := json.Marshal(r)
	// Records are spoilt in place: in any other order or spacing each would be refused.
	member := func(name string) string {
		return regexp.MustCompile(`"` + name + `":("[^"]*"|null)`).FindString(string(line))
	}
	without := func(name string) string {
		text := strings.Replace(string(line), member(name)+",", "", 1)
		return strings.Replace(text, ","+member(name), "", 1)
	}
	with := func(name string, v any) string {
		value, _ := json.Marshal(v)
		return strings.Replace(string(line), member(name), `"`+name+`":`+string(value), 1)
	}
	tests := map[string]string{
		"empty":                 "",
		"no JSON":               "tokens",
		"cut":                   string(data[:len(data)/2]),
		"twice":                 string(data) + string(data),
		"no id":                 without("id"),
		"no profile":            without("profile"),
		"empty profile":         with("profile", ""),
		"null profile":          with("profile", nil),
		"no expires":            without("expires"),
		"expires 0":             with("expires", 0),
		"expires null":          with("expires", nil),
		"expires before":        with("expires", r.Created),
		"no created":            without("created"),
		"no hash":               without("sha256"),
		"short hash":            with("sha256", r.SHA256[:62]),
		"a token":               with("sha256", newToken()),
		"upper hash":            with("sha256", strings.ToUpper(strings.Repeat("ab", 32))),
		"unknown":               strings.Replace(string(line), `"profile"`, `"scope":"all","profile"`, 1),
		"one hash, in capitals": string(line) + "," + strings.Replace(strings.Replace(with("profile", "guest"), r.SHA256, strings.ToUpper(r.SHA256), 1), r.ID, "other", 1),
		"two profiles":          string(line) + "," + with("profile", "guest"),
		"one hash twice":        string(line) + "," + with("id", "other"),
		"one id twice":          string(line) + "," + with("sha256", strings.Repeat("ab", 32)),
		"a name twice":          strings.Replace(string(line), `"profile"`, `"profile":"guest","profile"`, 1),
		"a name in caps":        strings.Replace(string(line), `"profile"`, `"Profile"`, 1),
		"profile a list":        with("profile", []string{"staff"}),
		"something after":       string(line) + "]},{",
	}
	for name, text := range tests {
		if !strings.Contains(text, "tokens") && text != "" {
			text = `{"tokens":[` + text + `]}`
		}
		if err := os.WriteFile(string(f), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(f); err == nil {
			t.Errorf("%s: taken: %s", name, text)
		} else if strings.Contains(err.Error(), Prefix+"A") {
			t.Errorf("%s: the error shows a token", name)
		}
		if _, _, err := f.New("staff", day); err == nil {
			t.Errorf("%s: added to", name)
		}
	}
	for name, text := range map[string]string{"none": `{"tokens":[]}`, "written by hand": `{"tokens":[` + string(line) + `]}`} {
		if err := os.WriteFile(string(f), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := f.List(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Open(f); (name == "none") != errors.Is(err, ErrNone) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNoTokenTooMany: a token that would make the file too large to be read is not made,
// and those on file go on.
func TestNoTokenTooMany(t *testing.T) {
	f := tempFile(t)
	staff, r := mustNew(t, f, "staff")
	if _, _, err := f.New(strings.Repeat("p", maxFile), day); err == nil || !strings.Contains(err.Error(), "hint: candor token revoke") {
		t.Errorf("a file over the bound: %v", err)
	}
	if p := opens(mustOpen(t, f), staff); p != "staff" {
		t.Errorf("the token on file opens %q", p)
	}
	if err := f.Revoke(r.ID); err != nil {
		t.Error(err)
	}
}

func TestRefusedPlaces(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes and links are those of Unix")
	}
	if _, err := Open(tempFile(t)); !errors.Is(err, ErrNone) {
		t.Errorf("no file: %v", err)
	}
	tests := map[string]func(t *testing.T, f File){
		"group":         func(t *testing.T, f File) { must(t, os.Chmod(string(f), 0o640)) },
		"all":           func(t *testing.T, f File) { must(t, os.Chmod(string(f), 0o604)) },
		"folder":        func(t *testing.T, f File) { must(t, os.Chmod(filepath.Dir(string(f)), 0o770)) },
		"not a file":    func(t *testing.T, f File) { must(t, os.Remove(string(f))); must(t, os.Mkdir(string(f), 0o700)) },
		"much too long": func(t *testing.T, f File) { must(t, os.Truncate(string(f), maxFile)) },
		"link": func(t *testing.T, f File) {
			must(t, os.Rename(string(f), string(f)+"2"))
			must(t, os.Symlink(string(f)+"2", string(f)))
		},
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			f := tempFile(t)
			token, r := mustNew(t, f, "staff")
			s := mustOpen(t, f)
			_, ends, _ := s.Authorize(token)
			spoil(t, f)
			if _, err := Open(f); err == nil || errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "hint: ") {
				t.Errorf("opened: %v", err)
			}
			if err := f.Revoke(r.ID); err == nil {
				t.Error("edited")
			}
			warned := make(chan error, 9)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			go s.Watch(ctx, func(err error) { warned <- err })
			if err := <-warned; err == nil {
				t.Error("warned of nothing")
			}
			ended(t, ends)
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestMadeAtOnce: of tokens made by several hands at one time none is lost.
func TestMadeAtOnce(t *testing.T) {
	f := tempFile(t)
	var all sync.WaitGroup
	made := make(chan string, 40)
	for i := range 20 {
		all.Go(func() {
			token, _, err := f.New(fmt.Sprint("p", i), day)
			if err != nil {
				t.Error(err)
			}
			made <- token
		})
	}
	all.Wait()
	close(made)
	s, n := mustOpen(t, f), 0
	for token := range made {
		if opens(s, token) == "" {
			t.Error("a token is lost")
		}
		n++
	}
	if n != 20 || len(s.Records()) != 20 {
		t.Errorf("%d made, %d kept", n, len(s.Records()))
	}
}

func TestNewAsksForBothHalves(t *testing.T) {
	f := tempFile(t)
	if _, _, err := f.New("", day); err == nil {
		t.Error("a token without a profile")
	}
	for _, lifetime := range []time.Duration{0, -day, time.Millisecond} {
		if _, _, err := f.New("staff", lifetime); err == nil {
			t.Errorf("a token that lives %s", lifetime)
		}
	}
}
