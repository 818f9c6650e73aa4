package evidence

import (
	"math"
	"strings"
)

// value is something in a statement that another could contradict: an amount with its
// dimension, a date, a time of day, or whether a thing is allowed.
type value struct {
	dim    string  // "time", "money EUR", "count try", "date", "clock", "label port", "yes"
	lo, hi float64 // equal, but for a range, "at least" and "at most"
	about  bool
	gone   bool   // said to hold no longer
	rate   string // of an amount: a month, a kilometre
	at     int    // its token
}

// Dimensions without units. A date without a year is one of any; what is counted or
// numbered stands after the blank.
const (
	dayOfYear, dated, clock, hours = "date", "date with year", "clock", "hours"
	counting, labelled             = "count ", "label "
	allowed, required              = "allowed", "required"
)

const digits = "0123456789"

// Numbers that differ by less are the same: rounding, 30 days and a month; more where the
// text says about.
const same, sameAbout = 0.02, 0.15

// agrees reports whether two values of one dimension can both be so.
func (v value) agrees(o value) bool {
	if v.rate != o.rate && v.rate != "" && o.rate != "" || v.apart(o) {
		return true
	}
	switch exact := v.dim == hours || v.dim == dated || v.dim == dayOfYear || v.dim == clock; {
	case v.gone != o.gone: // to say what no longer holds contradicts only that
		return v.lo != o.lo || v.hi != o.hi
	case exact, math.IsInf(v.lo, -1) && math.IsInf(o.lo, -1), math.IsInf(v.hi, 1) && math.IsInf(o.hi, 1):
		return v.equals(o)
	}
	return v.lo <= o.hi && o.lo <= v.hi || v.near(v.lo, o, o.hi) || v.near(v.hi, o, o.lo)
}

// magnitudes is how many times another an amount may be and still speak of the same.
const magnitudes = 20

// apart reports whether two amounts are of so different a size that they can only be of
// different things.
func (v value) apart(o value) bool {
	if v.dim == hours || v.dim == clock || strings.HasPrefix(v.dim, labelled) || strings.HasPrefix(v.dim, dayOfYear) {
		return false
	}
	size := func(v value) float64 {
		if math.IsInf(v.hi, 0) {
			return v.lo
		}
		return v.hi
	}
	small, large := min(size(v), size(o)), max(size(v), size(o))
	return small > 0 && large > magnitudes*small
}

// equals reports whether two values of one dimension are the same.
func (v value) equals(o value) bool {
	return v.gone == o.gone && v.near(v.lo, o, o.lo) && v.near(v.hi, o, o.hi)
}

// near reports whether a of one value is about b of another.
func (v value) near(a float64, o value, b float64) bool {
	slack := same
	switch {
	case v.about || o.about:
		slack = sameAbout
	case v.dim == dated || v.dim == dayOfYear || strings.HasPrefix(v.dim, labelled):
		slack = 0
	}
	return a == b || !math.IsInf(a-b, 0) && math.Abs(a-b) <= slack*math.Max(math.Abs(a), math.Abs(b))
}

// alike gives the values of a dimension. Where a date without a year meets one with it,
// neither has one.
func alike(a, b []value, dim string) (x, y []value) {
	yearless := false
	of := func(list []value) (out []value) {
		for _, v := range list {
			if v.dim == dim || dim == dayOfYear && v.dim == dated {
				out = append(out, v)
			}
			yearless = yearless || v.dim == dayOfYear
		}
		return out
	}
	if x, y = of(a), of(b); dim != dayOfYear || !yearless {
		return x, y
	}
	for _, list := range [][]value{x, y} {
		for i, v := range list {
			if v.dim == dated {
				v.lo = math.Mod(v.lo, 10000)
				v.dim, v.hi = dayOfYear, v.lo
				list[i] = v
			}
		}
	}
	return x, y
}
