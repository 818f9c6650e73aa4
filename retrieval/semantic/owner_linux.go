package semantic

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"io"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// systemUIDs is where the accounts of people begin; below it are those of services,
// such as the one that Ollama's installer makes.
const systemUIDs = 1000

// mayListen reports whether the account that listens on an address may be given text:
// our own or a service's. Another person's process on the port is a squatter. Where the
// kernel doesn't tell, it may.
func mayListen(peer netip.AddrPort) bool {
	uid, known := listener(peer)
	return !known || uid < systemUIDs || uid == os.Getuid()
}

// listener finds the account of the socket that gets connections to an address.
func listener(peer netip.AddrPort) (uid int, known bool) {
	best := -1
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		if at, id := scanListeners(f, peer); at > best {
			best, uid = at, id
		}
		f.Close()
	}
	return uid, best >= 0
}

// scanListeners gives the best match of a table: 1 for the address itself, 0 for one
// that stands for all addresses, -1 for none.
func scanListeners(table io.Reader, peer netip.AddrPort) (match, uid int) {
	match = -1
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) < 8 || f[3] != "0A" { // listening
			continue
		}
		local, ok := parseLocal(f[1])
		if !ok || local.Port() != peer.Port() {
			continue
		}
		at := -1
		switch {
		case local.Addr().Unmap() == peer.Addr():
			at = 1
		case local.Addr().IsUnspecified() && (local.Addr().Is6() || peer.Addr().Is4()):
			at = 0
		}
		if id, err := strconv.Atoi(f[7]); err == nil && at > match {
			match, uid = at, id
		}
	}
	return match, uid
}

// parseLocal reads an address as the kernel writes it: words in the machine's byte
// order, in hex.
func parseLocal(s string) (netip.AddrPort, bool) {
	host, port, _ := strings.Cut(s, ":")
	raw, err := hex.DecodeString(host)
	if err != nil || len(raw)%4 != 0 {
		return netip.AddrPort{}, false
	}
	for i := 0; i < len(raw); i += 4 {
		binary.NativeEndian.PutUint32(raw[i:], binary.BigEndian.Uint32(raw[i:]))
	}
	ip, ok := netip.AddrFromSlice(raw)
	n, err := strconv.ParseUint(port, 16, 16)
	return netip.AddrPortFrom(ip, uint16(n)), ok && err == nil
}
