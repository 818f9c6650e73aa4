package telemetry

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// patience is how long one export may take. Calls do not wait for it; the exit does.
const patience = 5 * time.Second

var (
	errRemote   = errors.New("the collector is not on this machine; hint: telemetry.allow_remote in candor.yaml")
	errRedirect = errors.New("the collector redirects; redirects are not followed")
)

// newClient gives the client of the exporters: no proxy, no redirect, and, unless
// remote, no connection but to this machine, whatever a name resolves to.
func newClient(remote bool) *http.Client {
	dialer := &net.Dialer{Timeout: patience}
	if !remote {
		dialer.Control = func(_, address string, _ syscall.RawConn) error {
			if at, err := netip.ParseAddrPort(address); err != nil || !at.Addr().Unmap().IsLoopback() {
				return errRemote
			}
			return nil
		}
	}
	return &http.Client{
		Timeout:       patience,
		Transport:     &http.Transport{DialContext: dialer.DialContext, MaxIdleConns: 2, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
	}
}
