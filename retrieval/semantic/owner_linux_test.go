package semantic

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
)

// A port that another person's process listens on gets nothing.
func TestOwner(t *testing.T) {
	const head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	word := func(n uint32) string {
		var b [4]byte
		binary.NativeEndian.PutUint32(b[:], n)
		return fmt.Sprintf("%08X", binary.BigEndian.Uint32(b[:]))
	}
	line := func(host, state string, uid int) string {
		return fmt.Sprintf("   0: %s:2CAA 00000000:0000 %s 00000000:00000000 00:00000000 00000000  %d        0 1 1 0 100 0 0 10 0\n", host, state, uid)
	}
	local, every := word(0x7f000001), word(0)
	every6 := strings.Repeat(word(0), 4)
	peer := netip.MustParseAddrPort("127.0.0.1:11434")
	for _, c := range []struct {
		name, table string
		match, uid  int
	}{
		{"nobody", head, -1, 0},
		{"exact", head + line(local, "0A", 1001), 1, 1001},
		{"a connection is no listener", head + line(local, "01", 1001), -1, 0},
		{"for all addresses", head + line(every, "0A", 998), 0, 998},
		{"for all addresses of both kinds", head + line(every6, "0A", 998), 0, 998},
		{"the exact one gets it", head + line(every, "0A", 998) + line(local, "0A", 1001), 1, 1001},
		{"another address", head + line(word(0x7f000002), "0A", 1001), -1, 0},
		{"rubbish", "sl\n x y z 0A\n   0: xx:yy 0 0A 0 0 0 zz\n", -1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if match, uid := scanListeners(strings.NewReader(c.table), peer); match != c.match || uid != c.uid {
				t.Errorf("match %d of uid %d, not %d of %d", match, uid, c.match, c.uid)
			}
		})
	}
}

// The table of the running kernel is read as the kernel writes it.
func TestOwnerOfRealSocket(t *testing.T) {
	for _, at := range []string{"127.0.0.1:0", "[::1]:0", "0.0.0.0:0"} {
		l, err := net.Listen("tcp", at)
		if err != nil {
			continue // no such protocol here
		}
		defer l.Close()
		peer := l.Addr().(*net.TCPAddr).AddrPort()
		peer = netip.AddrPortFrom(peer.Addr().Unmap(), peer.Port())
		if peer.Addr().IsUnspecified() {
			peer = netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), peer.Port())
		}
		if uid, known := listener(peer); !known || uid != os.Getuid() {
			t.Errorf("the socket at %s is of user %d (%v), not %d", at, uid, known, os.Getuid())
		}
	}
}
