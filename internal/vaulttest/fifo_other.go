//go:build !unix

package vaulttest

import "testing"

// FIFO skips the test: this system has no pipes in folders.
func FIFO(t testing.TB, _, _ string) { t.Skip("no pipes in folders here") }

// Socket skips the test: this system has no sockets in folders.
func Socket(t testing.TB, _, _ string) { t.Skip("no sockets in folders here") }
