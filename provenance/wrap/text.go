package wrap

import (
	"regexp"

	"candor/provenance"
)

// cited is what could pass for the end of a citation id of candor.
var cited = regexp.MustCompile(`(#L[0-9]+-L[0-9]+)@([0-9a-f]{8})`)

// clean masks secrets in every text of a value and makes markers and citations in it
// harmless.
func (p *Proxy) clean(v any) any {
	return walk(v, func(s string) string {
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

// binary reports whether a member holds bytes in base64: of an image, of sound, or of a
// resource.
func binary(o object, name string) bool {
	switch o["type"] {
	case "image", "audio":
		return name == "data"
	}
	_, resource := o["uri"].(string)
	return resource && name == "blob"
}
