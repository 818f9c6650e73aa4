package hybrid_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"candor/evals"
	"candor/evals/hybrid"
)

// report is of a verdict of yes.
func report(t *testing.T) hybrid.Report {
	t.Helper()
	m, v := better(t)
	return hybrid.Report{A: m.Lexical, B: m.Hybrid, Verdict: &v, Reproduce: []string{"candor eval hybrid --topics topics.yaml"}}
}

// hostile is a comparison of topics and documents whose names attack the reader.
func hostile() hybrid.Report {
	const attack = "x|<img src=https://e.example/a.png onerror=alert(1)>[a](javascript:1)`@everyone\n# <script>alert(1)</script> ![i](https://e.example/i.png)"
	long := attack + strings.Repeat("<&\"'|`[", 40)
	var a, b evals.Record
	a.Suite, a.Tag, b.Tag = attack, "lexical", "hybrid"
	for i := range 300 {
		o := evals.Outcome{Topic: fmt.Sprint(i, long), Slice: evals.Answerable, Sub: fmt.Sprint(i%60, long), Top: []string{long, long, long}}
		h := o
		o.Scores = map[string]float64{evals.NDCG10: 0.5, evals.Answered: 1}
		h.Scores = map[string]float64{evals.NDCG10: float64(i%3) / 2, evals.Answered: 1}
		h.Abstained = i%2 == 0
		a.Outcomes, b.Outcomes = append(a.Outcomes, o), append(b.Outcomes, h)
	}
	return hybrid.Report{A: a, B: b, Reproduce: []string{"candor eval report a b"}}
}

func markdown(t *testing.T, r hybrid.Report) string {
	t.Helper()
	var b strings.Builder
	if err := r.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func page(t *testing.T, r hybrid.Report) string {
	t.Helper()
	var b strings.Builder
	if err := r.HTML(&b); err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("CANDOR_REPORT_DIR"); dir != "" { // to look at it
		if err := os.WriteFile(dir+"/"+strings.ReplaceAll(t.Name(), "/", "-")+".html", []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func TestMarkdown(t *testing.T) {
	r := report(t)
	text := markdown(t, r)
	lines := strings.Split(text, "\n")
	if !strings.HasPrefix(lines[0], "**Yes: hybrid may be used. nDCG@10 ") {
		t.Errorf("the first line is %q", lines[0])
	}
	if !strings.HasPrefix(lines[2], "| score | n | lexical | hybrid | delta | 95% interval |") {
		t.Errorf("the third line is %q", lines[2])
	}
	if !strings.HasSuffix(text, hybrid.Marker+"\n") {
		t.Error("no marker at the end")
	}
	for _, want := range []string{
		"### Notes", "slice denied is empty: skipped", "### Slices", "answerable/paraphrase, nDCG@10", "### Won most (11 won, 0 lost, 49 tied)",
		"### Abstention", "### Refused, of questions without an answer", "### Cost", "| answer p50, ms | 1.0 | 9.0 |", "### How",
		"candor eval hybrid --topics topics.yaml", "; note-",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	no := *r.Verdict
	no.Yes, no.Reason, no.Ruling.Reasons = false, "the hard zeros were not probed", []string{"the hard zeros were not probed"}
	r.Verdict = &no
	if text = markdown(t, r); !strings.HasPrefix(text, "**No: hybrid stays off, the hard zeros were not probed.") || !strings.Contains(text, "### Why not") {
		t.Errorf("a no reads\n%s", text)
	}
}

func TestCompareAnyTwo(t *testing.T) {
	r := report(t)
	r.Verdict, r.A.Tag, r.B.Tag = nil, "main", "branch"
	for want, c := range map[string]hybrid.Report{
		"**branch is better than main: ":         r,
		"**main is worse than branch: ":          {A: r.B, B: r.A},
		"**main and main cannot be told apart: ": {A: r.A, B: r.A},
	} {
		if text := markdown(t, c); !strings.HasPrefix(text, want) || strings.Contains(want, "worse") != strings.Contains(text, "### Lost most") {
			t.Errorf("%q, want %q", text, want)
		}
	}
	other := r.A
	other.Digest = "other"
	var b bytes.Buffer
	if err := (hybrid.Report{A: other, B: r.B}).Markdown(&b); err == nil {
		t.Error("runs over other topics are compared")
	}
}

func TestHostileNames(t *testing.T) {
	text := markdown(t, hostile())
	if n := utf8.RuneCountInString(text); n >= 60_000 {
		t.Errorf("%d characters", n)
	}
	for _, bad := range []string{"<img", "<script", "@everyone", "](javascript", "\n# "} {
		if strings.Contains(text, bad) {
			t.Errorf("Markdown holds %q", bad)
		}
	}
	for _, bad := range []string{"<img", "<script", "href=", "<a"} {
		if html := page(t, hostile()); strings.Contains(html, bad) {
			t.Errorf("HTML holds %q", bad)
		}
	}
}

// TestPage: the page is whole by itself, well formed, and draws each question once.
func TestPage(t *testing.T) {
	r := report(t)
	html := page(t, r)
	for _, bad := range []string{"http:", "https:", "//", "<script", "<link", "url(", "@import", "ZgotmplZ", "NaN", "%!"} {
		if strings.Contains(html, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if n := strings.Count(html, "<rect "); n != 60 {
		t.Errorf("%d questions drawn, want 60", n)
	}
	if n := strings.Count(html, "<svg "); n != 3 {
		t.Errorf("%d plots, want 3", n)
	}
	if i, j := strings.Index(html, `<h1 class="yes">Yes: hybrid may be used.`), strings.Index(html, "<table>"); i < 0 || j < i {
		t.Error("the verdict does not stand first")
	}
	wellFormed(t, html)
}

// wellFormed closes the tags that HTML leaves open and reads the rest as XML.
func wellFormed(t *testing.T, html string) {
	t.Helper()
	html = regexp.MustCompile(`<(meta[^>]*)>`).ReplaceAllString(strings.TrimPrefix(html, "<!doctype html>"), "<$1/>")
	dec := xml.NewDecoder(strings.NewReader(html))
	dec.Entity = xml.HTMLEntity
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			line, _ := dec.InputPos()
			t.Fatalf("%v near %q", err, strings.Split(html, "\n")[line-1])
		}
	}
}

// TestNothingOfDeniedAndSecretTopics: of them only ids are shown, in all forms.
func TestNothingOfDeniedAndSecretTopics(t *testing.T) {
	var a, b evals.Record
	for _, slice := range []evals.Slice{evals.Denied, evals.Secret} {
		o := evals.Outcome{Topic: "id-" + string(slice), Slice: slice, Top: []string{"restricted/pay.md"}, Scores: map[string]float64{evals.NDCG10: 0, evals.Refused: 1}}
		h := o
		h.Scores = map[string]float64{evals.NDCG10: 1, evals.Refused: 0}
		o.Abstained = true
		a.Outcomes, b.Outcomes = append(a.Outcomes, o), append(b.Outcomes, h)
	}
	r := hybrid.Report{A: a, B: b}
	var data bytes.Buffer
	if err := r.JSON(&data); err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string]string{"Markdown": markdown(t, r), "HTML": page(t, r), "JSON": data.String()} {
		if strings.Contains(text, "restricted") || !strings.Contains(text, "id-denied") {
			t.Errorf("%s:\n%s", form, text)
		}
	}
}

func TestJSON(t *testing.T) {
	r := report(t)
	var data bytes.Buffer
	if err := r.JSON(&data); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Line    string
		Yes     bool
		Deltas  []struct{ Topic string }
		Verdict hybrid.Verdict
	}
	if err := json.Unmarshal(data.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if !got.Yes || !strings.HasPrefix(markdown(t, r), "**"+got.Line) || len(got.Deltas) != 60 || got.Verdict.Reason != r.Verdict.Reason {
		t.Errorf("%+v", got)
	}
}

func TestDraftedIsShownApart(t *testing.T) {
	a, b := runs(append(topics(20, evals.Answerable, "drafted", evals.NDCG10, 0, 1), topics(20, evals.Answerable, "a", evals.NDCG10, 1, 1)...)...)
	a.Tag, b.Tag = "lexical", "hybrid"
	text := markdown(t, hybrid.Report{A: a, B: b})
	for _, want := range []string{"| nDCG@10 | 20 | 1.000 | 1.000 | +0.000 |", "| drafted, nDCG@10 | 20 | 0.000 | 1.000 | +1.000 |"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestNotMeasured(t *testing.T) {
	text := hybrid.NotMeasured("no Ollama at 127.0.0.1:11434 <b>")
	if !strings.HasPrefix(text, "**Hybrid not measured:** no Ollama") || !strings.HasSuffix(text, hybrid.Marker+"\n") || strings.Contains(text, "<b>") {
		t.Errorf("%q", text)
	}
}
