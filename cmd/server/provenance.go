package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"candor/internal/keys"
	"candor/mcpserver"
	"candor/provenance"
)

// stateDir is the folder of this set of vaults for one kind of state; "" without a home.
func (s *site) stateDir(kind string) string {
	if s.cfg.Places.State == "" || s.keys.InMemory() != "" {
		return ""
	}
	name := s.name()
	if s.demo { // its folder is another each time
		name = "demo"
	}
	return filepath.Join(s.cfg.Places.State, kind, name)
}

// openProvenance opens the journal and makes what stamps results, unless a site before
// this one has: a call keeps its stamp whatever is read again.
func (s *site) openProvenance(a *app) error {
	s.demo = a.Demo
	defer func() {
		if s.journal != nil { // a closed one opens again where it is needed
			s.closers = append(s.closers, func() { _ = s.journal.Close() })
		}
	}()
	if s.issuer != nil {
		return nil
	}
	var err error
	if s.cfg.Provenance.Journal != "off" {
		mode := provenance.Sealed
		if s.cfg.Provenance.Journal == "digests" {
			mode = provenance.Digests
		}
		s.journal, err = provenance.OpenJournal(provenance.JournalOptions{
			Dir: s.stateDir("journal"), Key: s.keys.Subkey(keys.Journal), Mode: mode,
			Keep: max(provenance.DefaultKeep, 2*s.cfg.Provenance.TTL),
		})
		if err != nil {
			return err
		}
	}
	s.issuer, err = provenance.New(provenance.Options{
		Key: s.keys.Subkey(keys.Stamp), TTL: s.cfg.Provenance.TTL, Journal: s.journal,
	})
	return err
}

// cliRequest is the request id of a command.
const cliRequest = "cli"

// answer prints an answer with the stamp of the call that gave it. req is what was
// asked, human prints the form for people.
func (a *app) answer(s *site, c asked, human func()) error {
	arguments, err := json.Marshal(c.request)
	if err != nil {
		return err
	}
	stamp, err := s.issuer.Stamp(provenance.Call{
		RequestID: cliRequest, Tool: c.tool, Profile: s.profile, Arguments: arguments, Passages: mcpserver.Served(c.answer),
	})
	if err != nil {
		fmt.Fprintln(a.Stderr, "candor: the call was not kept:", plain(err.Error()))
	}
	if a.JSON {
		return a.out.stamped(c.answer, stamp)
	}
	human()
	if a.out.links {
		fmt.Fprintln(a.out.w, a.out.dim(stamp.Marker()))
	}
	return a.out.err()
}

// asked is a question of the command line and its answer.
type asked struct {
	tool            string
	request, answer any
}

// stamped prints the structured form of an answer with its stamp, one line.
func (p printer) stamped(answer any, stamp provenance.Stamp) error {
	data, err := encode(answer)
	if err != nil {
		return err
	}
	if stamp.MAC != "" {
		data = provenance.Attach(data, stamp)
	}
	_, _ = p.w.Write(append(data, '\n'))
	return p.err()
}
