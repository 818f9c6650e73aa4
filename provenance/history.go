package provenance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// History keeps the counts of each run over claims, without any text: in one file and,
// once that is full, in another beside it with a number behind its name. Nothing that was
// written is ever written again, so several processes may add at a time.
type History struct{ file string }

// OpenHistory names the file of counts; "" keeps none.
func OpenHistory(file string) *History { return &History{file: file} }

// Run is the counts of one run on one day.
type Run struct {
	Run  string `json:"run"`
	Day  string `json:"day"` // of its beginning, UTC
	Grid Grid   `json:"grid"`
}

// mostHistory bounds the counts. They lie in two files: the newest and the one before it.
const mostHistory = 1 << 20

// Add counts claims to a run.
func (h *History) Add(run string, at time.Time, g Grid) error {
	if h.file == "" || g.Claims == 0 {
		return nil
	}
	line, err := json.Marshal(Run{Run: run, Day: at.UTC().Format(time.DateOnly), Grid: g})
	if err != nil {
		return fmt.Errorf("count claims: %w", err)
	}
	f, err := h.open()
	if err != nil {
		return fmt.Errorf("count claims: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("count claims: %w", err)
	}
	return nil
}

// open opens the newest file, or the next one where that is full. Two processes that find
// it full at the same time go on with the same one.
func (h *History) open() (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(h.file), 0o700); err != nil {
		return nil, err
	}
	n := h.newest()
	if info, err := os.Stat(h.numbered(n)); err == nil && info.Mode().IsRegular() && info.Size() >= mostHistory/2 {
		n++
	}
	f, err := os.OpenFile(h.numbered(n), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil && n > 1 {
		_ = os.Remove(h.numbered(n - 2)) // or it is gone already
	}
	return f, err
}

// numbered is the name of the n-th file.
func (h *History) numbered(n int) string {
	if n == 0 {
		return h.file
	}
	return h.file + "." + strconv.Itoa(n)
}

// newest is the number of the newest file.
func (h *History) newest() int {
	most := 0
	entries, _ := os.ReadDir(filepath.Dir(h.file)) // without it there is none
	for _, e := range entries {
		if rest, ok := strings.CutPrefix(e.Name(), filepath.Base(h.file)+"."); ok {
			if n, err := strconv.Atoi(rest); err == nil && strconv.Itoa(n) == rest {
				most = max(most, n)
			}
		}
	}
	return most
}

// Trouble says why counts cannot be written; nil where they can, or nothing was yet.
func (h *History) Trouble() error {
	if h.file == "" {
		return nil
	}
	f, err := os.OpenFile(h.numbered(h.newest()), os.O_APPEND|os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the counts of claims cannot be written: %w", err)
	}
	return f.Close()
}

// Runs gives the counts of each run, oldest first. Lines that cannot be read are skipped.
func (h *History) Runs() ([]Run, error) {
	runs := []Run{}
	if h.file == "" {
		return runs, nil
	}
	at := map[string]int{}
	newest := h.newest()
	for n := max(newest-1, 0); n <= newest; n++ {
		data, err := os.ReadFile(h.numbered(n))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the counts of claims: %w", err)
		}
		for line := range bytes.Lines(data) {
			var r Run
			if json.Unmarshal(line, &r) != nil || r.Run == "" {
				continue
			}
			if i, seen := at[r.Run]; seen {
				runs[i].Grid.Sum(r.Grid)
				continue
			}
			at[r.Run] = len(runs)
			runs = append(runs, r)
		}
	}
	return runs, nil
}

// Alarm reports whether the share of right facts with a wrong source among the failures
// rose from the run before to the last one.
func Alarm(runs []Run) bool {
	if len(runs) < 2 {
		return false
	}
	return runs[len(runs)-1].Grid.Hidden() > runs[len(runs)-2].Grid.Hidden()
}
