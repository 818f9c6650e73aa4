package provenance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"candor/internal/atomicfile"
)

// History keeps the counts of each run over claims in one file, without any text.
type History struct{ file string }

// OpenHistory names the file of counts; "" keeps none.
func OpenHistory(file string) *History { return &History{file: file} }

// Run is the counts of one run on one day.
type Run struct {
	Run  string `json:"run"`
	Day  string `json:"day"` // of its beginning, UTC
	Grid Grid   `json:"grid"`
}

// mostHistory bounds the file; the older half goes when it is reached.
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
	if err := os.MkdirAll(filepath.Dir(h.file), 0o700); err != nil {
		return fmt.Errorf("count claims: %w", err)
	}
	if err := h.shorten(); err != nil {
		return fmt.Errorf("count claims: %w", err)
	}
	f, err := os.OpenFile(h.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("count claims: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("count claims: %w", err)
	}
	return nil
}

// shorten drops the older half of a file that has become too long.
func (h *History) shorten() error {
	info, err := os.Stat(h.file)
	if err != nil || info.Size() < mostHistory {
		return nil
	}
	data, err := os.ReadFile(h.file)
	if err != nil {
		return err
	}
	data = data[len(data)/2:]
	data = data[bytes.IndexByte(data, '\n')+1:]
	return atomicfile.Replace(h.file, data)
}

// Runs gives the counts of each run, oldest first. Lines that cannot be read are skipped.
func (h *History) Runs() ([]Run, error) {
	runs := []Run{}
	if h.file == "" {
		return runs, nil
	}
	data, err := os.ReadFile(h.file)
	if errors.Is(err, fs.ErrNotExist) {
		return runs, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the counts of claims: %w", err)
	}
	at := map[string]int{}
	for line := range bytes.Lines(data) {
		var r Run
		if json.Unmarshal(line, &r) != nil || r.Run == "" {
			continue
		}
		i, seen := at[r.Run]
		if !seen {
			at[r.Run] = len(runs)
			runs = append(runs, r)
			continue
		}
		runs[i].Grid.Sum(r.Grid)
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
