package markdown

// cursor walks the white space and markers at the start of one line, in columns, as
// tabs stop at every fourth.
type cursor struct {
	line    string
	off     int // next byte
	col     int // its column
	spare   int // columns left of a tab that was partly taken
	next    int // first byte that is not white space
	nextCol int // its column
}

// seek finds next.
func (c *cursor) seek() {
	c.next, c.nextCol = c.off, c.col+c.spare
	if c.spare > 0 {
		c.next++
	}
	for ; c.next < len(c.line); c.next++ {
		switch c.line[c.next] {
		case ' ':
			c.nextCol++
		case '\t':
			c.nextCol += 4 - c.nextCol%4
		default:
			return
		}
	}
}

// indent is the columns of white space ahead.
func (c *cursor) indent() int { return c.nextCol - c.col }

// rest is the line from the first byte that is not white space.
func (c *cursor) rest() string { return c.line[c.next:] }

// skip takes n columns of white space; next stays.
func (c *cursor) skip(n int) {
	for n > 0 && c.off < c.next {
		width := c.spare
		if width == 0 {
			width = 1
			if c.line[c.off] == '\t' {
				width = 4 - c.col%4
			}
		}
		if width > n {
			c.col += n
			c.spare = width - n
			return
		}
		c.col += width
		n -= width
		c.spare = 0
		c.off++
	}
}

// take passes the white space and then n bytes of marker, and looks ahead again.
func (c *cursor) take(n int) {
	c.off, c.col, c.spare = c.next+n, c.nextCol+n, 0
	c.seek()
}
