package evals

// Label names the passages of an answer as the suite's judgements name documents, best
// first and each document once. It lets rankings be scored that no System gave.
func (s Suite) Label(t Topic, hits []Hit) []Scored {
	if s.label == nil {
		return labelPassages(t, hits)
	}
	return s.label(t, hits)
}
