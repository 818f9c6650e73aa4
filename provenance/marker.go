package provenance

import (
	"regexp"
	"strings"
)

// Marker is the line by which a text form names its call.
func (s Stamp) Marker() string { return "[candor call " + s.CallID + "]" }

// markers are what could pass for the beginning of a marker, also once its lines are
// joined or its blanks are squeezed.
var markers = regexp.MustCompile(`(?i)(candor[^\pL\pN]+)(call)\b`)

// Defang puts a backslash into what looks like a marker, in text that comes from a note
// or from another server, so that only a server's own markers read as such.
func Defang(text string) string {
	if !strings.Contains(strings.ToLower(text), "candor") { // as nearly always, and much cheaper
		return text
	}
	return markers.ReplaceAllString(text, `$1\$2`)
}
