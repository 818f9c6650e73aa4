package semantic

import (
	"errors"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
)

// loopback is the whole grammar of an address. It is matched on the text as written:
// what a URL parser would make of anything else does not matter.
var loopback = regexp.MustCompile(`^http://(127\.0\.0\.1|\[::1\]|localhost)(?::([1-9][0-9]{0,4}))?$`)

// errAddress refuses an address. It doesn't repeat it: it may hold credentials.
var errAddress = errors.New("the address of Ollama must be http, a literal loopback address and a port, and nothing else; hint: write http://127.0.0.1:11434")

// address is where the embedder listens: always a literal, so nothing is ever resolved.
type address struct {
	base *url.URL
	peer netip.AddrPort
}

// parseAddress reads an address. localhost is a way to write 127.0.0.1.
func parseAddress(raw string) (address, error) {
	m := loopback.FindStringSubmatch(raw)
	if m == nil {
		return address{}, errAddress
	}
	port := uint64(11434)
	if m[2] != "" {
		var err error
		if port, err = strconv.ParseUint(m[2], 10, 16); err != nil {
			return address{}, errAddress
		}
	}
	ip := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	if m[1] == "[::1]" {
		ip = netip.IPv6Loopback()
	}
	peer := netip.AddrPortFrom(ip, uint16(port))
	return address{base: &url.URL{Scheme: "http", Host: peer.String()}, peer: peer}, nil
}
