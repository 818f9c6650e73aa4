package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"candor"
	"candor/config"
	"candor/kb"
	"candor/mcpserver"
	"candor/notes"
	"candor/policy"
)

// live is the site that answers while serving. It follows what a site is built of:
// candor.yaml, the verdict, and which folders the vaults are.
type live struct {
	app    *app
	log    *slog.Logger
	at     atomic.Pointer[site]
	hangup chan os.Signal
	zone   *notes.Zone // nil without a write zone
	text   []byte      // of candor.yaml as last read; nil to read it again
	fault  string      // what was last said to be wrong
	end    func()      // ends the following of the site that answers

	observe mcpserver.Observe
	web     *mcpserver.HTTP         // nil over stdio
	handled map[string]http.Handler // what answers each profile there
}

// lookEvery is how often a server looks for changes that no watch tells of.
const lookEvery = time.Second

// goLive lets a site answer until run ends, which then closes it. From now on the
// hangup signal means to read candor.yaml again.
func (a *app) goLive(s *site, log *slog.Logger) *live {
	l := &live{app: a, log: log, hangup: make(chan os.Signal, 1)}
	l.at.Store(s)
	if text, err := config.Read(s.cfg.File); err == nil {
		if cfg, err := config.Parse(s.cfg.File, text); err == nil && reflect.DeepEqual(cfg, s.cfg) {
			l.text = text // else it was edited since it was read: the first look sees to it
		}
	}
	signal.Reset(syscall.SIGHUP)
	signal.Notify(l.hangup, syscall.SIGHUP)
	return l
}

// run reads the vaults and follows all that answers depend on until ctx ends.
func (l *live) run(ctx context.Context) {
	defer signal.Stop(l.hangup)
	l.begin(ctx)
	defer func() {
		l.end()
		if l.zone != nil {
			_ = l.zone.Close()
		}
		l.at.Load().close()
	}()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.hangup:
			l.again(ctx)
		case <-tick.C:
			l.look(ctx)
		}
	}
}

// begin follows the vaults of the site that answers.
func (l *live) begin(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	s := l.at.Load()
	go func() {
		defer close(done)
		s.follow(ctx, l.log)
	}()
	l.end = func() {
		cancel()
		<-done
	}
}

// again looks as if nothing had been read or said.
func (l *live) again(ctx context.Context) {
	l.text, l.fault = nil, ""
	l.look(ctx)
}

// look takes over what has changed. What cannot be taken over leaves all as it was, and
// is said once.
func (l *live) look(ctx context.Context) {
	s := l.at.Load()
	text, edited, err := l.edited(ctx, s.cfg.File)
	switch {
	case ctx.Err() != nil:
		return
	case err == nil && edited:
		if err = l.reload(ctx, text); err == nil {
			l.text = text
		}
	case err == nil && s.moved():
		if err = l.rebuild(ctx, s.cfg); err == nil {
			l.say("the folder of a vault is another one now, and is read")
		}
	}
	if err == nil {
		err = l.followVerdict(ctx)
	}
	if err == nil || ctx.Err() != nil {
		l.fault = ""
		return
	}
	if l.fault != err.Error() {
		l.fault = err.Error()
		l.say("what was in force stays in force, since this cannot be taken over:\n" + plainText(l.fault))
	}
	l.text = text // not tried again until it changes
}

// say tells the owner.
func (l *live) say(what string) { fmt.Fprintln(l.app.Stderr, "candor:", what) }

// settled is how long candor.yaml must stay as it is to be read: half a file could be a
// policy too.
const settled = 100 * time.Millisecond

// edited gives the text of candor.yaml, and whether it is another than was last read.
func (l *live) edited(ctx context.Context, file string) (text []byte, edited bool, err error) {
	if file == "" || l.app.Demo {
		return nil, false, nil
	}
	for text, err = config.Read(file); err == nil && (l.text == nil || !bytes.Equal(text, l.text)); {
		select {
		case <-ctx.Done():
			return nil, false, ctx.Err()
		case <-time.After(settled):
		}
		before := text
		if text, err = config.Read(file); err == nil && bytes.Equal(text, before) {
			return text, true, nil
		}
	}
	return text, false, err
}

// reload puts the text of candor.yaml in force before it says so. Who may read what
// changes at once; for anything else the site is built anew beside the one that answers.
func (l *live) reload(ctx context.Context, text []byte) error {
	s := l.at.Load()
	cfg, err := config.Parse(s.cfg.File, text)
	if err != nil {
		return err
	}
	later := keep(s.cfg, cfg)
	if !s.everyone && cfg.DefaultProfile != s.cfg.DefaultProfile {
		later = append(later, "default_profile")
	}
	if onlyPolicy(*s.cfg, *cfg) {
		err = l.adopt(ctx, cfg)
	} else {
		err = l.rebuild(ctx, cfg)
	}
	if err == nil {
		err = l.admit()
	}
	if err != nil {
		return err
	}
	said := "candor.yaml was read again and is in force"
	if len(later) > 0 {
		said += "; only a restart changes " + strings.Join(later, ", ")
	}
	l.say(said)
	for _, w := range l.at.Load().warnings() {
		if !slices.Contains(s.warnings(), w) {
			l.say(w)
		}
	}
	return nil
}

// keep leaves what is open while serving as it is, and names what would have changed.
func keep(now, next *config.Config) (later []string) {
	if next.Write != now.Write {
		next.Write, later = now.Write, append(later, "write")
	}
	if next.Provenance != now.Provenance {
		next.Provenance, later = now.Provenance, append(later, "provenance")
	}
	if !reflect.DeepEqual(next.Telemetry, now.Telemetry) {
		next.Telemetry, later = now.Telemetry, append(later, "telemetry")
	}
	for _, l := range []struct {
		key       string
		now, next *int
	}{
		{"limits.results", &now.Limits.Results, &next.Limits.Results},
		{"limits.result_tokens", &now.Limits.ResultTokens, &next.Limits.ResultTokens},
		{"limits.write_bytes", &now.Limits.WriteBytes, &next.Limits.WriteBytes},
	} {
		if *l.next != *l.now {
			*l.next, later = *l.now, append(later, l.key)
		}
	}
	return later
}

// onlyPolicy reports whether two configurations differ in who may read what alone, or in
// what serving does not use.
func onlyPolicy(now, next config.Config) bool {
	next.Profiles, next.DefaultProfile = now.Profiles, now.DefaultProfile
	next.Trust, next.TrustDefault = now.Trust, now.TrustDefault
	next.Evals, next.Warnings = now.Evals, now.Warnings
	return reflect.DeepEqual(now, next)
}

// adopt puts another policy in force over the same notes.
func (l *live) adopt(ctx context.Context, cfg *config.Config) error {
	next, err := l.at.Load().under(cfg)
	if err != nil {
		return err
	}
	l.at.Store(next)
	l.end()
	l.begin(ctx)
	return nil
}

// under is the site under another policy, which is in force when it returns.
func (s *site) under(cfg *config.Config) (*site, error) {
	p, err := policy.New(policyOptions(cfg))
	if err != nil {
		return nil, err
	}
	next := *s
	next.cfg, next.policy, next.bases = cfg, p, map[string]*kb.Base{}
	s.corpus.Adopt(p)
	for _, profile := range p.Profiles() {
		if next.bases[profile] = s.bases[profile]; next.bases[profile] == nil {
			next.bases[profile] = kb.New(next.baseOptions(profile))
		}
	}
	return &next, nil
}

// rebuild builds and reads a site while the former one answers, then replaces it.
func (l *live) rebuild(ctx context.Context, cfg *config.Config) error {
	s := l.at.Load()
	next := &site{
		cfg: cfg, profile: s.profile, everyone: s.everyone, keys: s.keys, vectors: s.vectors, journal: s.journal, issuer: s.issuer,
		telemetry: s.telemetry,
	}
	err := next.assemble(l.app)
	if err == nil {
		err = next.load(ctx)
	}
	if err != nil {
		next.close()
		return err
	}
	next.lasting, s.lasting = s.lasting, nil
	l.at.Store(next)
	l.end()
	s.close()
	l.begin(ctx)
	return nil
}

// moved reports whether the name of a vault's folder leads to another folder now.
func (s *site) moved() bool {
	for _, root := range s.roots {
		if root.Moved() {
			return true
		}
	}
	return false
}

// followVerdict reads the verdict again. One that no longer says yes ends hybrid at
// once; for the first that does the site is built anew, with vectors.
func (l *live) followVerdict(ctx context.Context) error {
	s := l.at.Load()
	if !s.asksVerdict() {
		return nil
	}
	before := s.recorded()
	now := s.readRuling(before)
	if reflect.DeepEqual(now, before) {
		return nil
	}
	if s.verdict.Store(&now); reflect.DeepEqual(now.Switch, before.Switch) {
		return nil // other topics only
	}
	l.say("the verdict on hybrid was read again")
	if now.Yes() == (s.leg != nil) {
		return nil
	}
	return l.rebuild(ctx, s.cfg)
}

// door answers for one profile from the site of the moment.
type door struct {
	live    *live
	profile string
}

// door is the way in for a profile.
func (l *live) door(profile string) door { return door{l, profile} }

// put puts a question to the site that answers, again where that was replaced
// meanwhile: no answer is given under a policy that is no longer in force. A profile
// that is no more finds nothing.
func put[Q, A any](ctx context.Context, d door, to func(*kb.Base, context.Context, Q) (A, error), q Q) (A, error) {
	for {
		s := d.live.at.Load()
		base := s.bases[d.profile]
		if base == nil {
			var none A
			return none, candor.ErrNotFound
		}
		a, err := to(base, ctx, q)
		if s == d.live.at.Load() || ctx.Err() != nil {
			return a, err
		}
	}
}

// Search implements mcpserver.Base.
func (d door) Search(ctx context.Context, q kb.SearchRequest) (kb.SearchAnswer, error) {
	return put(ctx, d, (*kb.Base).Search, q)
}

// Read implements mcpserver.Base.
func (d door) Read(ctx context.Context, q kb.ReadRequest) (kb.ReadAnswer, error) {
	return put(ctx, d, (*kb.Base).Read, q)
}

// Outline implements mcpserver.Base.
func (d door) Outline(ctx context.Context, q kb.OutlineRequest) (kb.OutlineAnswer, error) {
	return put(ctx, d, (*kb.Base).Outline, q)
}

// Links implements mcpserver.Base.
func (d door) Links(ctx context.Context, q kb.LinksRequest) (kb.LinksAnswer, error) {
	return put(ctx, d, (*kb.Base).Links, q)
}

// Status implements mcpserver.Base.
func (d door) Status(ctx context.Context) (kb.StatusAnswer, error) {
	status := func(b *kb.Base, ctx context.Context, _ struct{}) (kb.StatusAnswer, error) { return b.Status(ctx) }
	return put(ctx, d, status, struct{}{})
}
