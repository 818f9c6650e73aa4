package redact

import "strings"

// dataURI passes over the base64 of a data: URI. An image is no secret, and its
// megabytes are not worth a look.
func (s *scan) dataURI(_, end int) int {
	head := s.text[end:min(len(s.text), end+128)]
	i := strings.Index(head, ";base64,")
	if i < 0 || strings.ContainsAny(head[:i], " \t\n\"'()<>") {
		return 0
	}
	at := end + i + len(";base64,")
	return at + run(s.text[at:])
}
