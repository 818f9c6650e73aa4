package main

import "runtime/debug"

// A server sits beside an editor all day and holds an index that hardly changes. With
// Go's default the heap grows to twice of what is in use between two collections; an
// answer leaves little garbage, so collecting at a fifth above costs next to nothing.
const (
	defaultPercent = 100
	idlePercent    = 20
)

// trimMemory gives back what reading the vaults has left over, and keeps the heap near
// what is in use from then on. While the vaults are read the default holds: a higher
// one saves a twentieth of the time at twice the memory. An owner's GOGC is kept.
func trimMemory() {
	if owners := debug.SetGCPercent(idlePercent); owners != defaultPercent {
		debug.SetGCPercent(owners)
	}
	debug.FreeOSMemory()
}
