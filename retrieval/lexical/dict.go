package lexical

import "hash/maphash"

// seed only spreads entries over the table; no result depends on it.
var seed = maphash.MakeSeed()

// dict numbers distinct strings from 0, in a few flat arrays.
type dict struct {
	table []uint64 // open addressing: half a hash, then id + 1; 0 is free
	ends  []uint32 // of string i in blob
	blob  []byte
}

func (d *dict) len() int { return len(d.ends) }

// at gives string number id; it aliases the dictionary.
func (d *dict) at(id uint32) []byte {
	start := uint32(0)
	if id > 0 {
		start = d.ends[id-1]
	}
	return d.blob[start:d.ends[id]]
}

// find gives the number of s.
func (d *dict) find(s string) (uint32, bool) {
	if len(d.table) == 0 {
		return 0, false
	}
	e := d.table[d.probe(s, half(s))]
	return uint32(e) - 1, e != 0
}

// add gives the number of s, a new one if need be.
func (d *dict) add(s string) (id uint32, fresh bool) {
	if 3*(len(d.ends)+1) > 2*len(d.table) {
		d.grow()
	}
	h := half(s)
	i := d.probe(s, h)
	if e := d.table[i]; e != 0 {
		return uint32(e) - 1, false
	}
	d.blob = append(d.blob, s...)
	d.ends = append(d.ends, uint32(len(d.blob)))
	d.table[i] = h<<32 | uint64(len(d.ends))
	return uint32(len(d.ends)) - 1, true
}

// half is the part of a hash that the table keeps.
func half(s string) uint64 { return maphash.String(seed, s) >> 32 }

// probe gives the place of s in the table, or the free place where it belongs.
func (d *dict) probe(s string, h uint64) uint64 {
	mask := uint64(len(d.table) - 1)
	i := h & mask
	for {
		e := d.table[i]
		if e == 0 || e>>32 == h && string(d.at(uint32(e)-1)) == s {
			return i
		}
		i = (i + 1) & mask
	}
}

func (d *dict) grow() {
	old := d.table
	d.table = make([]uint64, max(64, 2*len(old)))
	mask := uint64(len(d.table) - 1)
	for _, e := range old {
		if e == 0 {
			continue
		}
		i := e >> 32 & mask
		for d.table[i] != 0 {
			i = (i + 1) & mask
		}
		d.table[i] = e
	}
}

// clip gives back the room that growing left over.
func (d *dict) clip() {
	d.ends = append(make([]uint32, 0, len(d.ends)), d.ends...)
	d.blob = append(make([]byte, 0, len(d.blob)), d.blob...)
}
