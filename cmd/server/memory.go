package main

import "runtime/debug"

// A server sits beside an editor all day and holds an index that hardly changes. With
// Go's default the heap grows to twice of what is in use between two collections; an
// answer leaves little garbage, so a fifth above is seldom reached.
const (
	defaultPercent = 100
	idlePercent    = 20
)

// trimMemory gives back what reading the vaults has left over, and keeps the heap near
// what is in use from then on. An owner's GOGC is kept.
func trimMemory() {
	if owners := debug.SetGCPercent(idlePercent); owners != defaultPercent {
		debug.SetGCPercent(owners)
	}
	debug.FreeOSMemory()
}
