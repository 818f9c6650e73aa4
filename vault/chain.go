package vault

import (
	"io/fs"
	"strings"
)

// maxHeld bounds the folders that a chain holds open: a deep tree must not use the
// descriptors up.
const maxHeld = 8

// chain is the way to a folder of the vault: folders held open, each in the one before,
// so that the next folder on the same way need not open them again. Before a folder is
// used again its name is looked at as when it was opened: it must still be that very
// folder. The zero value with a root is a way that no folder is held on yet.
type chain struct {
	root *Root
	held []held // outermost first
	last Folder // the folder below those held, on a way longer than maxHeld
}

// held is a folder that is held open.
type held struct {
	name   string // on the disk, in the folder before
	at     Folder
	opened fs.FileInfo
}

// open gives a folder of the vault, "" for its root, reached with no link on the way.
// It is good until the next call.
func (c *chain) open(folder string) (Folder, error) {
	c.drop()
	at, rest := c.again(folder)
	for part := ""; rest != ""; {
		part, rest, _ = strings.Cut(rest, "/")
		next, opened, err := c.root.enter(at, part)
		if err != nil {
			return nil, err
		}
		if len(c.held) < maxHeld {
			c.held = append(c.held, held{part, next, opened})
		} else {
			c.drop()
			c.last = next
		}
		at = next
	}
	return at, nil
}

// again goes as far as held folders still are what their names name, lets go of the
// others, and gives the rest of the way.
func (c *chain) again(folder string) (at Folder, rest string) {
	at, rest = c.root.root, folder
	for i, h := range c.held {
		part, after, _ := strings.Cut(rest, "/")
		if part != h.name || c.root.isNamed(at, part, h.opened) != nil {
			c.cut(i)
			break
		}
		at, rest = h.at, after
	}
	return at, rest
}

// cut lets go of all but the first n held folders.
func (c *chain) cut(n int) {
	for i := len(c.held) - 1; i >= n; i-- {
		c.held[i].at.Close()
	}
	c.held = c.held[:n]
}

// drop lets go of the last folder of a long way.
func (c *chain) drop() {
	if c.last != nil {
		c.last.Close()
		c.last = nil
	}
}

// close lets go of all folders. The chain can be used again.
func (c *chain) close() {
	c.drop()
	c.cut(0)
}
