package fakeollama

// Fault is what is wrong with an answer to an embedding.
type Fault string

// The faults.
const (
	None         Fault = ""
	Late         Fault = "late"       // the answer comes after Server.Delay
	Hung         Fault = "hung"       // no answer until the client goes
	HalfOpen     Fault = "half open"  // the head of an answer and then nothing
	Drip         Fault = "drip"       // a byte each Server.Delay
	Endless      Fault = "endless"    // a body without end
	Closing      Fault = "closing"    // the connection ends before an answer
	Torn         Fault = "torn"       // and in the middle of one
	Empty        Fault = "empty"      // no vectors
	Fewer        Fault = "fewer"      // one vector too few
	More         Fault = "more"       // one too many
	Turned       Fault = "turned"     // the vectors in the other order
	Narrow       Fault = "narrow"     // vectors one dimension too narrow
	Ragged       Fault = "ragged"     // the last vector one too narrow
	Hollow       Fault = "hollow"     // vectors of no dimension
	Wide         Fault = "wide"       // vectors of 100,000 dimensions
	NaN          Fault = "nan"        // the word NaN for a number
	Null         Fault = "null"       // null for a number
	NullRow      Fault = "null row"   // null for a vector
	Strings      Fault = "strings"    // strings for numbers
	Nested       Fault = "nested"     // arrays for numbers
	Overflow     Fault = "overflow"   // 1e39, beyond 32 bits
	Infinite     Fault = "infinite"   // 1e400, beyond 64 bits
	Zeros        Fault = "zeros"      // the zero vector
	Tiny         Fault = "tiny"       // a vector of norm 1e-30
	Vast         Fault = "vast"       // a vector of norm 1e30
	Unnamed      Fault = "unnamed"    // the field is missing
	HTML         Fault = "html"       // a page with status 200
	NoContent    Fault = "no content" // status 204
	Created      Fault = "created"    // status 201 with vectors
	Gzip         Fault = "gzip"       // a compressed answer that nobody asked for
	GzipBomb     Fault = "gzip bomb"  // little that becomes 64 megabytes
	BigHeader    Fault = "big header" // a megabyte of headers
	Moved301     Fault = "301"        // redirects to Server.Elsewhere
	Found302     Fault = "302"        //
	SeeOther303  Fault = "303"        //
	Moved307     Fault = "307"        //
	Moved308     Fault = "308"        //
	BadRequest   Fault = "400"        // errors of a server
	Unauthorized Fault = "401"        //
	NotFound     Fault = "404"        //
	TooMany      Fault = "429"        //
	Internal     Fault = "500"        //
	BadGateway   Fault = "502"        //
	Unavailable  Fault = "503"        //
	Echo         Fault = "echo"       // an error that holds the text it was sent
)

// Faults are all faults that no client may take a vector from. Late and Turned are not
// among them: the one gives right vectors, the other wrong ones that look right.
func Faults() []Fault {
	return []Fault{
		Hung, HalfOpen, Drip, Endless, Closing, Torn, Empty, Fewer, More, Narrow, Ragged, Hollow, Wide,
		NaN, Null, NullRow, Strings, Nested, Overflow, Infinite, Zeros, Tiny, Vast, Unnamed, HTML,
		NoContent, Created, Gzip, GzipBomb, BigHeader, Moved301, Found302, SeeOther303, Moved307, Moved308,
		BadRequest, Unauthorized, NotFound, TooMany, Internal, BadGateway, Unavailable, Echo,
	}
}
