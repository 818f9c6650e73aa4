package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// asker is a session in which one question follows the answer to another.
type asker struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	dir string
}

// fresh makes a vault of -n notes and changes it while serve runs.
func fresh(ctx context.Context, _ string) error {
	candor, done, err := program(ctx)
	if err != nil {
		return err
	}
	defer done()
	dir, err := os.MkdirTemp("", "candor-fresh-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	notes := cmp.Or(*count, 10_000)
	for i := range notes {
		if err := put(dir, fmt.Sprintf("%02d/n%d.md", i%50, i), fmt.Sprintf("# Note %d\n\nwords that fill note %d\n", i, i)); err != nil {
			return err
		}
	}
	a := &asker{dir: dir}
	a.cmd = exec.CommandContext(ctx, candor, "serve", "--vault", dir)
	if a.in, err = a.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	a.out = bufio.NewReader(out)
	if err := a.cmd.Start(); err != nil {
		return err
	}
	defer a.cmd.Wait()
	defer a.in.Close()
	return a.follow(notes)
}

// follow changes the vault in the ways that people and their programs do.
func (a *asker) follow(notes int) error {
	if _, err := a.wait(func() (bool, error) { return a.has("status", `{}`, `"state":"ready"`) }); err != nil {
		return err
	}
	time.Sleep(3 * time.Second) // for the watcher to begin
	var saved, made, gone []time.Duration
	for i := range 20 {
		name := fmt.Sprintf("%02d/n%d.md", i%50, i)
		took, err := a.found(fmt.Sprintf("changed%dword", i), true, func(word string) error { return save(a.dir, name, "# Note\n\n"+word+"\n") })
		if err != nil {
			return err
		}
		saved = append(saved, took)
		if took, err = a.found(fmt.Sprintf("new%dword", i), true, func(word string) error {
			return put(a.dir, fmt.Sprintf("%02d/new%d.md", i, i), "# Note\n\n"+word+"\n")
		}); err != nil {
			return err
		}
		made = append(made, took)
		if took, err = a.found(fmt.Sprintf("new%dword", i), false, func(string) error { return os.Remove(filepath.Join(a.dir, fmt.Sprintf("%02d/new%d.md", i, i))) }); err != nil {
			return err
		}
		gone = append(gone, took)
	}
	report("a saved note is found after", saved)
	report("a new note is found after", made)
	report("a deleted note is gone after", gone)
	took, err := a.found("checkoutword499", true, func(string) error {
		for i := range 500 {
			if err := put(a.dir, fmt.Sprintf("git%d/f%d.md", i%9, i), fmt.Sprintf("# F\n\ncheckoutword%d\n", i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	report("the last of 500 new notes is found after", []time.Duration{took})
	took, err = a.wait(func() (bool, error) { return a.has("status", `{}`, fmt.Sprintf(`"notes":%d`, notes+500)) })
	if err != nil {
		return err
	}
	report("and all of them after further", []time.Duration{took})
	if took, err = a.found("checkoutword7 renamed", true, func(string) error { return os.Rename(filepath.Join(a.dir, "git7"), filepath.Join(a.dir, "renamed")) }); err != nil {
		return err
	}
	report("a renamed folder is found after", []time.Duration{took})
	start := time.Now()
	for range 20 {
		if yes, err := a.has("search", `{"query":"zzqxjwv kkvvq"}`, `"abstained":true`); err != nil || !yes {
			return fmt.Errorf("nonsense is answered: %w", err)
		}
	}
	report("20 questions that nothing answers take", []time.Duration{time.Since(start)})
	return nil
}

// report prints times; more than a second does not hold.
func report(what string, times []time.Duration) {
	slices.Sort(times)
	most := times[len(times)-1]
	fmt.Printf("%-42s %v (median of %d: %v)\n", what, most.Round(time.Millisecond), len(times), times[len(times)/2].Round(time.Millisecond))
	if most > time.Second {
		fail("%s %v", what, most)
	}
}

// found makes a change and tells how long it takes until a word of it is found in a
// text, or no longer.
func (a *asker) found(query string, want bool, change func(word string) error) (time.Duration, error) {
	word, in, _ := strings.Cut(query, " ")
	if err := change(word); err != nil {
		return 0, err
	}
	return a.wait(func() (bool, error) {
		yes, err := a.has("search", fmt.Sprintf(`{"query":%q}`, word), `"path":"`+in)
		return yes == want, err
	})
}

// wait asks until something holds.
func (a *asker) wait(holds func() (bool, error)) (time.Duration, error) {
	for start := time.Now(); ; time.Sleep(2 * time.Millisecond) {
		switch yes, err := holds(); {
		case err != nil:
			return 0, err
		case yes:
			return time.Since(start), nil
		case time.Since(start) > 2*time.Minute:
			return 0, fmt.Errorf("not after %v", time.Since(start))
		}
	}
}

// has calls a tool and looks for a text in the structured form of its result.
func (a *asker) has(tool, args, text string) (bool, error) {
	if _, err := fmt.Fprintf(a.in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", tool, args); err != nil {
		return false, err
	}
	line, err := a.out.ReadBytes('\n')
	if err != nil {
		return false, err
	}
	var m struct {
		Result struct{ StructuredContent json.RawMessage }
	}
	err = json.Unmarshal(line, &m)
	return strings.Contains(string(m.Result.StructuredContent), text), err
}

// put writes a note, and save writes it as editors do.
func put(dir, name, text string) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

func save(dir, name, text string) error {
	if err := put(dir, name+"~", text); err != nil {
		return err
	}
	file := filepath.Join(dir, filepath.FromSlash(name))
	return os.Rename(file+"~", file)
}
