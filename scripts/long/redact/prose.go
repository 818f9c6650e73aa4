package main
func (r *runner) prose(seed uint64) {}
