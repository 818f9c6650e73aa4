package notes_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"candor/notes"
)

var lines = flag.Int("lines", 25, "how many lines each writer of TestManyProcesses appends")

// The test binary is also the process that the test below starts.
const (
	childDir   = "CANDOR_TEST_NOTES_DIR"
	childLines = "CANDOR_TEST_NOTES_LINES"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		lines, _ := strconv.Atoi(os.Getenv(childLines))
		os.Exit(appendMany(dir, lines))
	}
	os.Exit(m.Run())
}

// appendMany has four writers append lines of 3 KB, and makes a draft each.
func appendMany(dir string, lines int) int {
	z, err := notes.Open(notes.Options{
		Drafts: filepath.Join(dir, "drafts"), Ledger: filepath.Join(dir, "ledger.jsonl"), Secret: masker.Finds,
		Rate: 1 << 20, Entries: 1 << 40, Floor: 1,
	})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer z.Close()
	w := z.Writer("staff", resolve)
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for j := range lines {
				q := lesson(fmt.Sprintf("%d %d %d %s", os.Getpid(), i, j, strings.Repeat("word ", 550)))
				if a, err := w.AppendLedger(context.Background(), q); err == nil {
					fmt.Println(a.ID)
				} else {
					fmt.Fprintln(os.Stderr, err)
				}
			}
			if _, err := w.CreateNote(context.Background(), notes.NoteRequest{Title: "same", Body: "b"}); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		})
	}
	group.Wait()
	return 0
}

// Case 157: two processes of four writers each append at once; every line is whole, and
// they are one chain. The long run has -lines 1250.
func TestManyProcesses(t *testing.T) {
	dir := t.TempDir()
	var group sync.WaitGroup
	var outs [2]strings.Builder
	for i := range outs {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), childDir+"="+dir, fmt.Sprintf("%s=%d", childLines, *lines))
		var failed strings.Builder
		c.Stdout, c.Stderr = &outs[i], &failed
		group.Go(func() {
			if err := c.Run(); err != nil || failed.Len() > 0 {
				t.Errorf("%v: %s", err, failed.String())
			}
		})
	}
	group.Wait()
	z := reopen(t, dir, nil)
	whole(t, z, 8**lines)
	there := map[string]int{}
	for line := range strings.Lines(read(t, dir, "ledger.jsonl")) {
		var l struct{ Entry notes.Entry }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		there[l.Entry.ID]++
	}
	for i := range outs {
		for id := range strings.FieldsSeq(outs[i].String()) {
			if there[id] != 1 {
				t.Errorf("entry %s is there %d times", id, there[id])
			}
		}
	}
	if got := files(t, dir); len(got) != 8 {
		t.Errorf("%d drafts: %v", len(got), got)
	}
}
