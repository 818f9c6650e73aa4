package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"candor"
	"candor/notes"
)

// fakeWriter writes nothing. A title or subject that begins with "!" asks for a fault.
type fakeWriter struct{ asked *[]any }

func (w fakeWriter) CreateNote(_ context.Context, q notes.NoteRequest) (notes.NoteAnswer, error) {
	*w.asked = append(*w.asked, q)
	return notes.NoteAnswer{Path: "drafts/a.md", Status: "draft", Tier: "T2", Warning: notes.Review}, fault(q.Title)
}

func (w fakeWriter) AppendLedger(_ context.Context, q notes.EntryRequest) (notes.EntryAnswer, error) {
	*w.asked = append(*w.asked, q)
	return notes.EntryAnswer{ID: strings.Repeat("ab", 16), Evidence: "hr/leave.md#L1-L2@00000000"}, fault(q.Subject)
}

func fault(word string) error {
	switch word {
	case "!secret":
		return notes.ErrSecret
	case "!broken":
		return fmt.Errorf("%w: open /srv/vault/drafts: input/output error", notes.ErrUnavailable)
	case "!cited":
		return candor.ErrNotFound
	}
	return nil
}

// newWriteServer serves a base with the tools that write, which keep what they are asked.
func newWriteServer(t *testing.T) (*Server, *[]any) {
	t.Helper()
	asked := &[]any{}
	opt := newTestServer(t, newFakeBase()).opt
	opt.Notes, opt.Ledger, opt.WriteBytes = fakeWriter{asked}, fakeWriter{asked}, 1000
	s, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return s, asked
}

// The tools that write are there only where the owner allows them, and say that they
// write and destroy nothing.
func TestWriteTools(t *testing.T) {
	if listed := fmt.Sprint(listTools(t, newTestServer(t, newFakeBase()))); strings.Contains(listed, "create_note") || strings.Contains(listed, "append_ledger") {
		t.Error("a server without a write zone has tools that write")
	}
	s, _ := newWriteServer(t)
	var writing []listed
	for _, tool := range listTools(t, s) {
		if tool.Name != "create_note" && tool.Name != "append_ledger" {
			continue
		}
		want := map[string]any{
			"title": tool.Title, "readOnlyHint": false, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false,
		}
		if diff := cmp.Diff(want, tool.Annotations); diff != "" {
			t.Errorf("%s: annotations (-want +got):\n%s", tool.Name, diff)
		}
		for _, raw := range []json.RawMessage{tool.InputSchema, tool.OutputSchema} {
			var schema map[string]any
			if err := json.Unmarshal(raw, &schema); err != nil {
				t.Fatal(err)
			}
			lintSchema(t, tool.Name, schema)
		}
		writing = append(writing, tool)
	}
	goldenTools(t, "testdata/write.txtar", "The tools that write", writing)
}

// What is written arrives as given, and the answer fits its schema and suffices as text.
func TestWriteResults(t *testing.T) {
	s, asked := newWriteServer(t)
	for _, tool := range listTools(t, s) {
		var arguments, text string
		switch tool.Name {
		case "create_note":
			arguments = `{"title":"Leave","body":"# Leave\n\nSixteen weeks.","tags":"[\"hr\"]","summary":null}`
			text = "created: drafts/a.md | status: draft | tier: T2\n" + notes.Review + "\nend | created: drafts/a.md | status: draft | tier: T2"
		case "append_ledger":
			arguments = `{"subject":"Leave","lesson":"Weeks, not days.","evidence":"hr/leave.md#L1-L2@00000000"}`
			text = "added: " + strings.Repeat("ab", 16) + " | evidence: hr/leave.md#L1-L2@00000000"
		default:
			continue
		}
		r := callTool(t, s, tool.Name, arguments)
		if r.IsError || !strings.Contains(r.text(), text) {
			t.Errorf("%s: %s", tool.Name, r.text())
		}
		if err := compileSchema(t, tool.OutputSchema).Validate(decode(t, r.StructuredContent)); err != nil {
			t.Errorf("%s: %v", tool.Name, err)
		}
		if !strings.Contains(string(r.StructuredContent), `"stamp":{"call_id":`) {
			t.Errorf("%s: no stamp in %s", tool.Name, r.StructuredContent)
		}
	}
	want := []any{
		notes.EntryRequest{Subject: "Leave", Lesson: "Weeks, not days.", Evidence: "hr/leave.md#L1-L2@00000000"},
		notes.NoteRequest{Title: "Leave", Body: "# Leave\n\nSixteen weeks.", Tags: []string{"hr"}},
	}
	if diff := cmp.Diff(want, *asked); diff != "" {
		t.Error(diff)
	}
}

// Refusals are constant texts, and what is out of bounds never reaches the writer.
func TestWriteErrors(t *testing.T) {
	s, asked := newWriteServer(t)
	for _, tt := range []struct{ tool, arguments, want string }{
		{"create_note", `{"title":"!secret","body":"b"}`, notes.ErrSecret.Why},
		{"append_ledger", `{"subject":"!secret","lesson":"b","evidence":"c"}`, notes.ErrSecret.Why},
		{"create_note", `{"title":"!broken","body":"b"}`, writeText},
		{"append_ledger", `{"subject":"!cited","lesson":"b","evidence":"c"}`, notFoundText},
	} {
		if r := callTool(t, s, tt.tool, tt.arguments); !r.IsError || r.text() != tt.want {
			t.Errorf("%s %s: %s", tt.tool, tt.arguments, r.text())
		}
	}
	*asked = nil
	for _, tt := range []struct{ tool, arguments, want string }{
		{"create_note", `{"title":"t"}`, "body: must be a string of 1 to 1000 bytes"},
		{"create_note", `{"title":"t","body":"` + strings.Repeat("b", 1001) + `"}`, "body: must be a string of 1 to 1000 bytes"},
		{"create_note", `{"title":"t","body":"b","name":"../x.md"}`, "unknown argument: create_note takes only"},
		{"create_note", `{"title":"t","body":"b","tags":[1]}`, "tags: must be a list"},
		{"append_ledger", `{"subject":"t","lesson":"b"}`, "evidence: must be a string"},
		{"append_ledger", `{"subject":"t","lesson":"b","evidence":"c","profile":"admin"}`, "unknown argument: append_ledger takes only"},
	} {
		if r := callTool(t, s, tt.tool, tt.arguments); !r.IsError || !strings.HasPrefix(r.text(), tt.want) {
			t.Errorf("%s %.60s: %s", tt.tool, tt.arguments, r.text())
		}
	}
	if len(*asked) > 0 {
		t.Errorf("the writer was asked %v", *asked)
	}
}
