package markdown

import "strings"

// foldMark stands for the payload of a data URI.
const foldMark = "…"

// minPayload is the shortest payload that is folded.
const minPayload = 64

// foldData replaces the payload of every data URI, so that an image is neither text
// nor size. Lines keep their number.
func foldData(s string) string {
	var out strings.Builder
	done := 0
	for from := 0; ; {
		i := strings.Index(s[from:], "data:")
		if i < 0 {
			break
		}
		from += i
		start, end := payload(s, from)
		if end-start >= minPayload {
			out.WriteString(s[done:start])
			out.WriteString(foldMark)
			done = end
		}
		from = max(end, from+len("data:"))
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

// payload finds what follows the comma of the data URI at i, on the same line.
func payload(s string, i int) (start, end int) {
	head := s[i:min(len(s), i+128)]
	comma := strings.IndexByte(head, ',')
	if comma < 0 || strings.ContainsAny(head[:comma], " \t\r\n\"'()<>") {
		return i, i
	}
	start = i + comma + 1
	for end = start; end < len(s) && inPayload(s[end]); end++ {
	}
	return start, end
}

func inPayload(c byte) bool {
	switch c {
	case '+', '/', '=', '%', '-', '_', '.', '~', '!', '*', ';', ':', '&', '?', '#', ',':
		return true
	}
	return isAlnum(c)
}

// dropData removes folded data URIs, for the index. It gives "" when there is none.
func dropData(s string) string {
	if !strings.Contains(s, ","+foldMark) {
		return ""
	}
	var out strings.Builder
	for {
		i := strings.Index(s, "data:")
		if i < 0 {
			break
		}
		head, after, ok := strings.Cut(s[i:], ","+foldMark)
		out.WriteString(s[:i])
		switch {
		case !ok:
			out.WriteString(s[i:])
			return out.String()
		case strings.ContainsAny(head, " \t\r\n\"'()<>"):
			out.WriteString("data:")
			s = s[i+len("data:"):]
		default:
			s = after
		}
	}
	out.WriteString(s)
	return out.String()
}
