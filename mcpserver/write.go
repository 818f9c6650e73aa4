package mcpserver

import (
	"context"

	"candor/notes"
)

// NoteMaker makes drafts for one profile; notes.Writer is the real one.
type NoteMaker interface {
	CreateNote(ctx context.Context, q notes.NoteRequest) (notes.NoteAnswer, error)
}

// LedgerKeeper adds lines to the ledger for one profile; notes.Writer is the real one.
type LedgerKeeper interface {
	AppendLedger(ctx context.Context, q notes.EntryRequest) (notes.EntryAnswer, error)
}

// addWrites registers the tools that write, where the owner allows them.
func (s *Server) addWrites() {
	if w := s.opt.Notes; w != nil {
		bind(s, createNoteTool(s.opt.WriteBytes), use[notes.NoteRequest, notes.NoteAnswer]{ask: w.CreateNote, show: showNote})
	}
	if w := s.opt.Ledger; w != nil {
		bind(s, appendLedgerTool(s.opt.WriteBytes), use[notes.EntryRequest, notes.EntryAnswer]{ask: w.AppendLedger, show: showEntry})
	}
}

func createNoteTool(most int) tool {
	return tool{
		name: "create_note", title: "Write a draft of a note", writes: true,
		about: "Write a new note as a draft for a person to review: it is in no answer before. Its name, author and date " +
			"are the server's. Nothing that exists is changed. Credentials and challenge flags are refused.",
		params: []param{
			{name: "title", form: text, required: true, min: 1, max: notes.MaxTitle, about: "what the note is about, on one line"},
			{name: "summary", form: text, max: notes.MaxSummary, about: "the note in a sentence or two"},
			{name: "body", form: text, required: true, min: 1, max: most, about: "the text of the note, in markdown, without front matter"},
			{name: "tags", form: list, max: notes.MaxTag, count: notes.MaxTags, about: "tags, without #"},
		},
	}
}

func appendLedgerTool(most int) tool {
	return tool{
		name: "append_ledger", title: "Add a lesson to the ledger", writes: true,
		about: "Add one lesson to the owner's append-only ledger, with the citation that shows it. " +
			"Nothing in it can be changed or read here. Credentials and challenge flags are refused.",
		params: []param{
			{name: "subject", form: text, required: true, min: 1, max: notes.MaxTitle, about: "what the lesson is about, on one line"},
			{name: "lesson", form: text, required: true, min: 1, max: most, about: "what was learned"},
			{name: "evidence", form: text, required: true, min: 1, max: notes.MaxEvidence, about: "the id of the citation that shows it, as search gave it"},
		},
	}
}

func showNote(p *page, a notes.NoteAnswer) {
	state := "created: " + p.id(string(a.Path)) + " | status: " + a.Status + " | tier: " + a.Tier
	p.line("%s", state)
	p.line("%s", a.Warning)
	p.WriteString("end | " + state)
}

func showEntry(p *page, a notes.EntryAnswer) {
	state := "added: " + p.id(a.ID) + " | evidence: " + p.id(a.Evidence)
	p.line("%s", state)
	p.WriteString("end | " + state)
}
