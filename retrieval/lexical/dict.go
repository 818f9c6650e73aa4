package lexical

import "hash/maphash"

// seed only spreads entries over the table; no result depends on it.
var seed = maphash.MakeSeed()

// dict numbers distinct strings from 0, in a few flat arrays.
type dict struct {
	table []uint32 // open addressing: id + 1, 0 is free
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
	i := d.probe(s)
	return d.table[i] - 1, d.table[i] != 0
}

// add gives the number of s, a new one if need be.
func (d *dict) add(s string) (id uint32, fresh bool) {
	if 4*(len(d.ends)+1) > 3*len(d.table) {
		d.grow()
	}
	i := d.probe(s)
	if d.table[i] != 0 {
		return d.table[i] - 1, false
	}
	d.blob = append(d.blob, s...)
	d.ends = append(d.ends, uint32(len(d.blob)))
	d.table[i] = uint32(len(d.ends))
	return d.table[i] - 1, true
}

// probe gives the place of s in the table, or the free place where it belongs.
func (d *dict) probe(s string) uint64 {
	mask := uint64(len(d.table) - 1)
	i := maphash.String(seed, s) & mask
	for d.table[i] != 0 && string(d.at(d.table[i]-1)) != s {
		i = (i + 1) & mask
	}
	return i
}

func (d *dict) grow() {
	d.table = make([]uint32, max(64, 2*len(d.table)))
	mask := uint64(len(d.table) - 1)
	for id := range d.ends {
		i := maphash.Bytes(seed, d.at(uint32(id))) & mask
		for d.table[i] != 0 {
			i = (i + 1) & mask
		}
		d.table[i] = uint32(id) + 1
	}
}

// clip gives back the room that growing left over.
func (d *dict) clip() {
	d.ends = append(make([]uint32, 0, len(d.ends)), d.ends...)
	d.blob = append(make([]byte, 0, len(d.blob)), d.blob...)
}
