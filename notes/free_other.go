//go:build unix && !linux && !darwin

package notes

import (
	"math"
	"os"
)

// freeBytes is not asked where each system names it otherwise: a full disk then shows as
// a failed write, which is taken back.
func freeBytes(*os.File) (uint64, error) { return math.MaxUint64, nil }
