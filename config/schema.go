package config

import (
	"encoding/json"
	"maps"
	"slices"
)

// Schema is the JSON Schema (2020-12) of candor.yaml, made from the table that the
// reader uses. It is what an editor needs to complete and check the file; checks
// across keys and on disk are the reader's alone.
func Schema() []byte {
	s := maps.Clone(table().schema)
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = FileName
	s["description"] = "Configuration of candor."
	out, _ := json.MarshalIndent(s, "", "  ") // maps of plain values: cannot fail
	return append(out, '\n')
}

// homes tells where each key below the top stands, for those written elsewhere.
func homes() map[string]string {
	out := map[string]string{}
	collectHomes(table().schema, "", out)
	return out
}

func collectHomes(s schema, at string, out map[string]string) {
	properties, _ := s["properties"].(schema)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		below := name
		if at != "" {
			out[name] = at
			below = at + "." + name
		}
		collectHomes(properties[name].(schema), below, out)
	}
}
