package evals

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxLine bounds one line of a run, qrels or JSON lines file.
const maxLine = 64 << 20

// Qrels is the judgements: topic, then document, then grade. A grade of 0 or less is
// judged not relevant.
type Qrels map[string]map[string]int

// Scored is one ranked document.
type Scored struct {
	Doc   string  `json:"doc"`
	Score float64 `json:"score"`
}

// Run is a ranking for each topic, best first.
type Run map[string][]Scored

// Sort puts rankings in the order in which trec_eval sees them, whatever the rank
// column says: by score as a 32-bit float, descending, then by document, descending.
func (r Run) Sort() {
	for _, hits := range r {
		slices.SortFunc(hits, func(a, b Scored) int {
			return cmp.Or(cmp.Compare(float32(b.Score), float32(a.Score)), strings.Compare(b.Doc, a.Doc))
		})
	}
}

// ReadRun reads a TREC run file: topic, Q0, document, rank, score, tag. It gives the
// rankings as Sort leaves them, and the tag of the first line.
func ReadRun(r io.Reader, name string) (Run, string, error) {
	run, tag, seen := Run{}, "", map[[2]string]bool{}
	err := eachLine(r, name, func(line string) error {
		f := strings.Fields(line)
		if len(f) != 6 {
			return fmt.Errorf("want 6 fields (topic Q0 document rank score tag), have %d", len(f))
		}
		score, err := strconv.ParseFloat(f[4], 64)
		if err != nil || math.IsNaN(score) || math.IsInf(float64(float32(score)), 0) {
			return fmt.Errorf("score %q is not a finite 32-bit number", f[4])
		}
		key := [2]string{f[0], f[2]}
		if seen[key] {
			return fmt.Errorf("document %s stands twice for topic %s", f[2], f[0])
		}
		seen[key] = true
		run[f[0]] = append(run[f[0]], Scored{f[2], score})
		tag = cmp.Or(tag, f[5])
		return nil
	})
	run.Sort()
	return run, tag, err
}

// WriteRun writes a TREC run file, topics in order. Scores are written as 32-bit
// floats, each at least one step below the one before, so that every reader ranks
// as the system did and ties cannot be broken anew.
func WriteRun(w io.Writer, run Run, tag string) error {
	out := bufio.NewWriter(w)
	if tag == "" || strings.ContainsFunc(tag, isSpace) {
		return fmt.Errorf("run tag %q: want one word", tag)
	}
	for _, topic := range slices.Sorted(maps.Keys(run)) {
		last := float32(math.Inf(1))
		for i, hit := range run[topic] {
			if strings.ContainsFunc(topic+hit.Doc, isSpace) || topic == "" || hit.Doc == "" {
				return fmt.Errorf("topic %q, document %q: a run file has no place for white space in ids", topic, hit.Doc)
			}
			last = min(float32(clamp(hit.Score)), math.Nextafter32(last, float32(math.Inf(-1))))
			score := strconv.FormatFloat(float64(last), 'g', -1, 32)
			fmt.Fprintf(out, "%s Q0 %s %d %s %s\n", topic, hit.Doc, i+1, score, tag)
		}
	}
	return out.Flush()
}

// clamp leaves room below and above for steps; no leg's scale comes near.
func clamp(score float64) float64 { return min(max(score, -1e30), 1e30) }

// ReadQrels reads judgements in either form: BEIR's three columns under a header
// line, or TREC's four columns without one.
func ReadQrels(r io.Reader, name string) (Qrels, error) {
	qrels, n := Qrels{}, 0
	err := eachLine(r, name, func(line string) error {
		n++
		f := strings.Fields(line)
		if n == 1 && len(f) == 3 && f[2] == "score" {
			return nil
		}
		if len(f) == 4 {
			f = []string{f[0], f[2], f[3]}
		}
		if len(f) != 3 {
			return fmt.Errorf("want 3 columns (topic document grade) or TREC's 4, have %d", len(f))
		}
		grade, err := strconv.Atoi(f[2])
		if err != nil {
			return fmt.Errorf("grade %q is not a whole number", f[2])
		}
		qrels.add(f[0], f[1], grade)
		return nil
	})
	return qrels, err
}

// WriteQrels writes judgements as TREC's four columns, in order.
func WriteQrels(w io.Writer, qrels Qrels) error {
	out := bufio.NewWriter(w)
	for _, topic := range slices.Sorted(maps.Keys(qrels)) {
		for _, doc := range slices.Sorted(maps.Keys(qrels[topic])) {
			if strings.ContainsFunc(topic+doc, isSpace) {
				return fmt.Errorf("topic %q, document %q: a qrels file has no place for white space in ids", topic, doc)
			}
			fmt.Fprintf(out, "%s 0 %s %d\n", topic, doc, qrels[topic][doc])
		}
	}
	return out.Flush()
}

func (q Qrels) add(topic, doc string, grade int) {
	if q[topic] == nil {
		q[topic] = map[string]int{}
	}
	q[topic][doc] = grade
}

// eachLine calls f on each line that is not blank and names the place of its error.
func eachLine(r io.Reader, name string, f func(line string) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		if err := f(lines.Text()); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func isSpace(r rune) bool { return strings.ContainsRune(" \t\n\v\f\r\u0085\u00a0", r) }
