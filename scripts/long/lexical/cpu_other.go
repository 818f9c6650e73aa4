//go:build !unix

package main

import "time"

// cpuTime is not to be had here.
func cpuTime() time.Duration { return 0 }
