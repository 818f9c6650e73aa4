package markdown

import (
	"candor"
	"candor/redact"
)

// DefaultWords is the most words in a piece when Options does not say. By passage,
// lexical search of judged collections is best between 100 and 160 words; shorter
// pieces cost more vectors.
const DefaultWords = 140

// Bounds that ordinary notes do not reach. Past them a note stays whole and
// searchable, but further headings, links or tags are plain text.
const (
	maxDepth    = 32      // nested quotes and list items
	maxSections = 1 << 16 // headings
	maxLinks    = 1 << 14
	maxTags     = 1 << 10
	maxHeading  = 512  // bytes of a heading's text
	maxContext  = 1024 // bytes of a table's header row
	maxTarget   = 2048 // bytes of a link's target
)

// Options says how to cut. The zero value is ready for a note without front matter.
type Options struct {
	FirstLine int // number in the note of the text's first line; 0 is 1
	Words     int // most words in a piece; 0 is DefaultWords
}

// Doc is one note, cut.
type Doc struct {
	Title    string // text of the first heading of level 1, "" without one
	Sections []Section
	Pieces   []Piece
	Links    []Link   // in the order of the note
	Tags     []string // inline tags without '#', lower case, each once
}

// Section is a heading and its own text, up to the next heading of any level.
type Section struct {
	Level   int         // 1 to 6
	Heading string      // plain text of the heading
	Path    []string    // the headings above and this one, outermost first
	Lines   candor.Span // from the heading to the last line of its own text
	Piece   int         // index of the piece that holds the heading
}

// Piece is what is indexed and cited.
type Piece struct {
	Heading []string    // heading path, outermost first; never nil
	Lines   candor.Span // in the note
	// Text is those lines, joined by LF, CR before LF dropped. The payload of a data
	// URI is replaced by "…".
	Text    string
	Index   string // what to index in the place of Text, without data URIs; "" if it is Text
	Context string // what to index beside it: the header row of a cut table
	Words   int    // white-space separated words of Text
}

// Link is a link to another note or place, or an image. The payload of a data URI is "…".
type Link struct {
	Text   string // what the reader sees
	Target string // as written: a path, URL or note name, with its fragment
	Line   int    // in the note
	Wiki   bool   // [[target]] or ![[target]]
	Image  bool   // ![text](target)
}

// Parse cuts the text of a note's body. It never fails: what is not markdown is text.
func Parse(text redact.Text, opt Options) Doc {
	return parse(text.String(), opt)
}

func parse(body string, opt Options) Doc {
	if opt.Words <= 0 {
		opt.Words = DefaultWords
	}
	if opt.FirstLine <= 0 {
		opt.FirstLine = 1
	}
	src := foldData(body)
	c := newCutter(src, opt.Words)
	s := scanner{src: src, emit: c.add}
	s.run(opt.FirstLine)
	return c.finish()
}
