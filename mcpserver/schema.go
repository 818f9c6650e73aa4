package mcpserver

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"candor"
	"candor/kb"
	"candor/provenance"
)

// schema is a JSON Schema. Clients stumble over references, lists of types, arrays
// without items and objects without properties, so none of those is ever made.
type schema map[string]any

// inputSchema declares a tool's arguments.
func inputSchema(params []param) schema {
	properties, required := schema{}, []string{}
	for _, p := range params {
		properties[p.name] = p.schema()
		if p.required {
			required = append(required, p.name)
		}
	}
	return objectSchema(properties, required)
}

func objectSchema(properties schema, required []string) schema {
	s := schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

func (p param) schema() schema {
	s := schema{"description": p.about}
	switch p.form {
	case claims:
		return p.claimsSchema()
	case whole:
		s["type"], s["minimum"], s["maximum"] = "integer", p.min, p.max
	case boolean:
		s["type"] = "boolean"
	case list:
		s["type"], s["maxItems"] = "array", p.count
		s["items"] = schema{"type": "string", "minLength": 1, "maxLength": p.max}
	case date:
		s["type"], s["pattern"] = "string", `^([0-9]{4}-[0-9]{2}-[0-9]{2})?$`
	case choice:
		s["type"], s["enum"] = "string", p.choices
	default:
		s["type"], s["maxLength"] = "string", p.max // in characters: at least as many bytes
		if p.min > 0 && p.required {
			s["minLength"] = p.min
		}
	}
	return s
}

// enums are the string types that have a closed set of values in answers.
var enums = map[reflect.Type][]string{
	reflect.TypeFor[candor.Mode](): {string(candor.ModeLexical), string(candor.ModeSemantic), string(candor.ModeHybrid)},
	reflect.TypeFor[kb.State]():    {string(kb.Current), string(kb.Moved), string(kb.Stale)},
	reflect.TypeFor[provenance.Quadrant](): {
		string(provenance.BothRight), string(provenance.WrongSource), string(provenance.WrongFact), string(provenance.BothWrong), string(provenance.Unknown),
	},
}

// answerSchema describes the structured form of a tool's result, with its stamp.
func answerSchema(t reflect.Type, stamps bool) (schema, error) {
	answer, err := outputSchema(t)
	if err != nil || !stamps {
		return answer, err
	}
	stamp, err := outputSchema(reflect.TypeFor[provenance.Stamp]())
	if err != nil {
		return nil, err
	}
	answer["properties"].(schema)["stamp"] = stamp
	required, _ := answer["required"].([]string)
	answer["required"] = append(required, "stamp")
	return answer, nil
}

// outputSchema describes the JSON of a Go type, so that an answer always fits.
func outputSchema(t reflect.Type) (schema, error) {
	if t == reflect.TypeFor[time.Time]() {
		return schema{"type": "string", "format": "date-time"}, nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return outputSchema(t.Elem())
	case reflect.Struct:
		return structSchema(t)
	case reflect.Slice:
		items, err := outputSchema(t.Elem())
		return schema{"type": "array", "items": items}, err
	case reflect.String:
		if values, ok := enums[t]; ok {
			return schema{"type": "string", "enum": values}, nil
		}
		return schema{"type": "string"}, nil
	case reflect.Bool:
		return schema{"type": "boolean"}, nil
	case reflect.Int:
		return schema{"type": "integer"}, nil
	case reflect.Float64:
		return schema{"type": "number"}, nil
	}
	return nil, fmt.Errorf("output schema: no schema for %s", t)
}

func structSchema(t reflect.Type) (schema, error) {
	properties, required := schema{}, []string{}
	for i := range t.NumField() {
		name, rest, tagged := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name == "" {
			return nil, fmt.Errorf("output schema: %s.%s has no JSON name", t, t.Field(i).Name)
		}
		property, err := outputSchema(t.Field(i).Type)
		if err != nil {
			return nil, err
		}
		properties[name] = property
		if !tagged || !strings.Contains(rest, "omit") {
			required = append(required, name)
		}
	}
	return objectSchema(properties, required), nil
}

// raw encodes a schema for mcp-go.
func (s schema) raw() (json.RawMessage, error) { return json.Marshal(s) }
