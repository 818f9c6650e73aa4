package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// A server sits beside an editor all day and holds an index that hardly changes. With
// Go's default the heap grows to twice of what is in use between two collections; an
// answer leaves little garbage, so a fifth above is seldom reached.
const idlePercent = 20

// A server of many clients may leave this much garbage between two collections: with a
// small index and a fifth above, collecting would cost more than answering.
const busyRoom = 128 << 20

// trimMemory gives back what reading the vaults has left over, and keeps the heap near
// what is in use from then on. An owner's GOGC is kept.
func trimMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(idlePercent)
	}
	debug.FreeOSMemory()
}

// keepRoom leaves room for the garbage of many answers until ctx ends: the share of what
// is in use that makes busyRoom, which connections make smaller.
func keepRoom(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	now := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/gogc:percent"}}
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for {
		metrics.Read(now)
		inUse, percent := now[0].Value.Uint64(), now[1].Value.Uint64()
		if want := max(idlePercent, busyRoom*100/max(inUse, 8<<20)); want < percent || want > percent+percent/10 {
			debug.SetGCPercent(int(want))
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}
