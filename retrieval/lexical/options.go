package lexical

// Version names what words are made of text, and how they are scored under given Params.
// It changes whenever the same notes and question would be ranked otherwise: what was
// measured before was measured on another index.
const Version = "2"

// Options configure an index. The zero value is English with the measured constants.
type Options struct {
	// Languages name the stemmers and stop words: en de es fr hu no ru sv; others
	// are ignored. Nil is English.
	Languages []string
	// Params are the constants of the ranking; nil takes Defaults.
	Params *Params
}

// Params are the constants of BM25F.
type Params struct {
	K1   float64 // saturation of frequency
	Form float64 // share of a word's weight that only its exact form earns, 0 to 1
	// Prior is how many chunks without any word of the query are counted beside the
	// vault's own, so that one note in three does not make a word worthless.
	Prior float64
	// Whole is the weight of a compound as a whole beside its parts.
	Whole float64
	// Near is what two words of the query add that are neighbours in a passage, times
	// the weight of the lighter one.
	Near float64
	// Close is what words of the query add that stand close together in a passage, or
	// over it in its headings, times their weight.
	Close  float64
	Fields [NumFields]FieldParams
}

// FieldParams are the constants of one field.
type FieldParams struct {
	Weight float64 // of one occurrence
	B      float64 // how far length counts, 0 to 1
}

// The fields of a chunk, as indexes of Params.Fields.
const (
	FieldText    = iota // text, and the context indexed beside it
	FieldTitle          // title and aliases
	FieldHeading        // heading path, without the title
	FieldFile           // path
	FieldTags           // tags, and words of the front matter
	NumFields
)

// Defaults gives the constants in use; doc/evals.md says how they were found.
func Defaults() Params {
	return Params{
		K1: 1.2, Form: 0.1, Prior: 5, Whole: 0.3, Near: 0.4, Close: 0.4,
		Fields: [NumFields]FieldParams{
			FieldText:    {1, 0.7},
			FieldTitle:   {2.5, 0.5},
			FieldHeading: {1, 0.5},
			FieldFile:    {0.5, 0.5},
			FieldTags:    {1, 0.5},
		},
	}
}
