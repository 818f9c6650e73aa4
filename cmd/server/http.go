package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"candor/mcpserver"
	"candor/tokens"
)

// httpFlags say where and how to answer over HTTP.
type httpFlags struct {
	tokenPlace

	HTTP    string `name:"http" placeholder:"ADDRESS" help:"Answer over HTTP at this address, such as 127.0.0.1:8080; a token chooses the profile."`
	Expose  string `placeholder:"NAME" help:"The name, and port unless 443, by which other machines reach it."`
	TLSCert string `name:"tls-cert" placeholder:"FILE" help:"The certificate of that name, with its chain, in PEM."`
	TLSKey  string `name:"tls-key" placeholder:"FILE" help:"The key of the certificate, in PEM."`
}

// check refuses an address that says less than it means, and one that other machines
// reach without being told so.
func (f *httpFlags) check(a *app) error {
	host, port, err := net.SplitHostPort(f.HTTP)
	if err != nil {
		return withHint(errors.New("--http needs an address and a port"), "write 127.0.0.1:8080")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return withHint(errors.New("--http needs a port from 0 to 65535"), "write 127.0.0.1:8080")
	}
	addr, err := netip.ParseAddr(host)
	switch {
	case host == "":
		return withHint(fmt.Errorf("--http :%s binds all interfaces", port), "write 127.0.0.1:"+port)
	case err != nil:
		return withHint(errors.New("--http takes a literal address: what a name leads to can change"), "write 127.0.0.1:"+port)
	case (f.TLSCert == "") != (f.TLSKey == ""):
		return withHint(errors.New("a certificate and its key go together"), "--tls-cert FILE --tls-key FILE")
	case !addr.Unmap().IsLoopback() && (f.Expose == "" || f.TLSCert == ""):
		return withHint(fmt.Errorf("--http %s can be reached from other machines", f.HTTP),
			"write 127.0.0.1:"+port+"; if other machines are meant, --expose NAME --tls-cert FILE --tls-key FILE")
	case a.Profile != "":
		return withHint(errors.New("over HTTP the token chooses the profile"), "leave --profile out")
	}
	if f.Expose != "" && !isName(f.Expose) {
		return withHint(errors.New("--expose needs one name, as clients write it"), "write kb.example.com, or kb.example.com:8443")
	}
	return nil
}

// isName reports whether text is a host as clients send it: in small letters, with no port
// but one that is needed.
func isName(text string) bool {
	u, err := url.Parse("https://" + text)
	if err != nil || u.Host != text || u.Hostname() == "" || strings.HasSuffix(text, ":") || strings.HasSuffix(u.Hostname(), ".") {
		return false
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || strconv.FormatUint(n, 10) != port {
			return false
		}
	}
	return strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789-.:[]") == ""
}

// serve answers all profiles over HTTP until ctx ends, from one reading of the vaults.
func (f *httpFlags) serve(ctx context.Context, a *app, log *slog.Logger) error {
	if err := f.check(a); err != nil {
		return err
	}
	s, err := a.build()
	if err != nil {
		return err
	}
	s.everyone = true
	l := a.goLive(s, log)
	w, err := f.open(ctx, l)
	if err != nil {
		s.close()
		return err
	}
	for _, warning := range s.warnings() {
		fmt.Fprintln(a.Stderr, "candor:", warning)
	}
	fmt.Fprintf(a.Stderr, "candor: listening on %s/mcp\n", w.name)
	life, end := context.WithCancel(ctx)
	var beside sync.WaitGroup
	beside.Go(func() { l.run(life) })
	beside.Go(func() { l.recover(life) })
	beside.Go(func() { keepRoom(life) })
	beside.Go(func() {
		w.tokens.Watch(life, func(err error) { l.say("no token is taken: " + plainText(err.Error())) })
	})
	defer beside.Wait()
	defer end()
	return w.door.Serve(ctx, w.listener)
}

// web is a door that is about to open.
type web struct {
	door     *mcpserver.HTTP
	listener net.Listener
	tokens   *tokens.Store
	name     string // as an origin
}

// open makes the door and listens.
func (f *httpFlags) open(ctx context.Context, l *live) (*web, error) {
	s := l.at.Load()
	store, err := s.openTokens(l.app, f.Tokens)
	if err != nil {
		return nil, err
	}
	opt := mcpserver.HTTPOptions{Authorizer: store, Ready: l.ready, Logger: l.log}
	if f.TLSCert != "" {
		pair, err := tls.LoadX509KeyPair(f.TLSCert, f.TLSKey)
		if err != nil {
			return nil, fmt.Errorf("read the certificate: %w", err)
		}
		opt.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	}
	if l.observe, err = s.observe(ctx, "tcp", l.log); err != nil {
		return nil, err
	}
	if err := l.openZone(); err != nil {
		return nil, err
	}
	if opt.Profiles, err = l.handlers(nil); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", f.HTTP)
	if err != nil {
		return nil, withHint(fmt.Errorf("listen: %w", err), "another port may be free")
	}
	at, err := netip.ParseAddrPort(listener.Addr().String())
	if err != nil {
		listener.Close()
		return nil, err
	}
	opt.Origins = f.origins(at)
	if l.web, err = mcpserver.NewHTTP(opt); err != nil {
		listener.Close()
		return nil, err
	}
	l.handled = opt.Profiles
	return &web{l.web, listener, store, opt.Origins[0]}, nil
}

// handlers are what answers the profiles of the site of the moment: those that were there
// before, and new ones.
func (l *live) handlers(before map[string]http.Handler) (map[string]http.Handler, error) {
	now := map[string]http.Handler{}
	for profile := range l.at.Load().bases {
		if now[profile] = before[profile]; now[profile] != nil {
			continue
		}
		server, err := l.server(profile)
		if err != nil {
			return nil, err
		}
		now[profile] = server.HTTP()
	}
	return now, nil
}

// admit lets in the profiles of the site of the moment, where the door is HTTP.
func (l *live) admit() error {
	if l.web == nil {
		return nil
	}
	now, err := l.handlers(l.handled)
	if err != nil {
		return err
	}
	l.web.SetProfiles(now)
	l.handled = now
	return nil
}

// openTokens opens the token file and refuses one that can let nobody in, or that names
// a profile which is not there.
func (s *site) openTokens(a *app, flag string) (*tokens.Store, error) {
	file, err := s.tokenFile(a, flag)
	if err != nil {
		return nil, err
	}
	store, err := tokens.Open(file)
	if errors.Is(err, tokens.ErrNone) {
		hint := "candor token new --profile NAME makes one"
		if flag != "" {
			hint += ", with the same --tokens"
		}
		return nil, withHint(errors.New("there are no tokens, so nobody could be let in"), hint)
	}
	if err != nil {
		return nil, err
	}
	records := store.Records()
	for _, r := range records {
		if !slices.Contains(s.cfg.ProfileNames(), r.Profile) {
			return nil, withHint(fmt.Errorf("token %s opens the profile %q, which the configuration does not have", r.ID, r.Profile),
				"candor token revoke "+r.ID)
		}
	}
	if !slices.ContainsFunc(records, func(r tokens.Record) bool { return !r.Expired(time.Now()) }) {
		return nil, withHint(errors.New("all tokens are expired"), "candor token rotate ID, or candor token new --profile NAME")
	}
	return store, nil
}

// origins are the names of this server as a browser writes them, the one to tell first.
func (f *httpFlags) origins(addr netip.AddrPort) (out []string) {
	if f.Expose != "" {
		out = append(out, "https://"+strings.TrimSuffix(f.Expose, ":443"))
	}
	if !addr.Addr().Unmap().IsLoopback() {
		return out
	}
	scheme, usual := "http://", uint16(80)
	if f.TLSCert != "" {
		scheme, usual = "https://", 443
	}
	port := ":" + strconv.Itoa(int(addr.Port()))
	if addr.Port() == usual { // clients leave it out
		port = ""
	}
	own := addr.Addr().Unmap().String()
	if strings.Contains(own, ":") {
		own = "[" + own + "]"
	}
	for _, host := range []string{own, "localhost", "127.0.0.1", "[::1]"} {
		if origin := scheme + host + port; !slices.Contains(out, origin) {
			out = append(out, origin)
		}
	}
	return out
}

// server is the MCP server of a profile, whatever site answers at the moment.
func (l *live) server(profile string) (*mcpserver.Server, error) {
	s := l.at.Load()
	base, limits := l.door(profile), s.bases[profile].Limits()
	opt := mcpserver.Options{
		Base: base, Version: version(), Results: limits.Results, ResultTokens: limits.ResultTokens, Logger: l.log,
		Stamper: s.issuer, Profile: profile, Verify: s.verify(profile, base, l.log), Observe: l.observe,
	}
	l.writes(&opt, profile)
	return mcpserver.New(opt)
}

// ready reports whether every profile can be answered.
func (l *live) ready() bool {
	for _, base := range l.at.Load().bases {
		a, err := base.Status(context.Background())
		if err != nil || a.State != "ready" {
			return false
		}
	}
	return true
}
