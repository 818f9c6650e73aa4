package mcpserver

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
)

// byteOrderMark may stand before a message of those who cannot help it.
const byteOrderMark = "\ufeff"

// lineReader cuts a stream at LF into messages of at most maxMessage bytes. Its memory
// is bounded whatever the stream holds: a longer line is counted off to its end.
type lineReader struct {
	in    *bufio.Reader
	buf   []byte // of the line being read, used again
	begun bool
}

func newLineReader(in io.Reader) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, 64<<10)}
}

// next returns the next line that is not blank, without its line end. A byte order
// mark before the first line is dropped. A line that is too long is reported once,
// without its text. The last line need not end with LF.
func (l *lineReader) next() (line []byte, tooLong bool, err error) {
	for {
		tooLong, err = l.fill()
		if err != nil {
			return nil, false, err
		}
		text := l.buf
		if !l.begun {
			l.begun = true
			text = bytes.TrimPrefix(text, []byte(byteOrderMark))
		}
		text = bytes.TrimRight(text, "\r\n")
		switch {
		case tooLong || len(text) > maxMessage:
			return nil, true, nil
		case len(bytes.TrimLeft(text, " \t\r")) > 0:
			return bytes.Clone(text), false, nil
		}
	}
}

// fill reads one line into buf.
func (l *lineReader) fill() (tooLong bool, err error) {
	const room = maxMessage + len(byteOrderMark+"\r\n")
	l.buf = l.buf[:0]
	size := 0
	for {
		part, err := l.in.ReadSlice('\n')
		size += len(part)
		if size <= room {
			if len(l.buf) > 0 && size > cap(l.buf) {
				l.buf = slices.Grow(l.buf, room) // at once: doubling leaves as much again behind
			}
			l.buf = append(l.buf, part...)
		}
		switch {
		case err == nil, err == io.EOF && size > 0:
			return size > room, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return false, err
		}
	}
}
