package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// resident is the memory that a process holds now and held at most, where /proc tells.
func resident(pid int) (now, peak int64) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0
	}
	return kilobytes(status, "VmRSS:"), kilobytes(status, "VmHWM:")
}

func kilobytes(status []byte, name string) int64 {
	_, rest, ok := bytes.Cut(status, []byte(name))
	if !ok {
		return 0
	}
	n, _ := strconv.ParseInt(string(bytes.Fields(rest)[0]), 10, 64)
	return n << 10
}

// tick is the unit of /proc/PID/stat on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// processTime is the processor time of another process so far, where /proc tells.
func processTime(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(string(fields[11]), 10, 64)
	system, _ := strconv.ParseInt(string(fields[12]), 10, 64)
	return time.Duration(user+system) * tick
}
