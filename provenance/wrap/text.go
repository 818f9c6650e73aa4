package wrap

import (
	"encoding/base64"
	"regexp"

	"candor/internal/visible"
	"candor/provenance"
)

// cited is what could pass for the end of a citation id of candor.
var cited = regexp.MustCompile(`(#L[0-9]+-L[0-9]+)@([0-9a-f]{8})`)

// clean masks secrets in every text of a value, drops what cannot be seen, and makes
// markers and citations harmless. A stamp of ours that the server wrote is dropped.
func (p *Proxy) clean(v any) any {
	if o, ok := v.(object); ok {
		if meta, ok := o["_meta"].(object); ok {
			delete(meta, metaKey)
		}
	}
	return walk(v, func(s string) string {
		s, _ = visible.Text(s)
		masked, _ := p.opt.Redactor.Mask(s)
		return cited.ReplaceAllString(provenance.Defang(masked), `$1\@$2`)
	})
}

// maxDepth is how deep values are followed; what is deeper is dropped.
const maxDepth = 64

// walk gives a value with every string in it, names of members too, put through change.
// The bytes of images and sound are no text.
func walk(v any, change func(string) string) any { return descend(v, change, 0) }

func descend(v any, change func(string) string, depth int) any {
	if depth > maxDepth {
		return nil
	}
	switch v := v.(type) {
	case string:
		return change(v)
	case []any:
		for i := range v {
			v[i] = descend(v[i], change, depth+1)
		}
		return v
	case object:
		out := make(object, len(v))
		for name, member := range v {
			if binary(v, name) {
				out[name] = member
				continue
			}
			out[change(name)] = descend(member, change, depth+1)
		}
		return out
	}
	return v
}

// binary reports whether a member holds the bytes of an image, of sound or of a resource:
// base64 and nothing else, in which neither a marker nor a citation can stand.
func binary(o object, name string) bool {
	text, isText := o[name].(string)
	if !isText || name != "data" && name != "blob" {
		return false
	}
	if _, typed := o["mimeType"].(string); !typed {
		return false
	}
	_, err := base64.StdEncoding.DecodeString(text)
	return err == nil
}
