package nfs3

import (
	"context"
	"syscall"
)

// Object is a file with its handle.
type Object struct {
	Handle     Handle
	Attributes Attributes
}

// Lookup finds a name in a directory.
func (c *Client) Lookup(ctx context.Context, dir Handle, name string) (Object, error) {
	var e encoder
	e.where(dir, name)
	d, _, err := c.do(ctx, procLookup, &e)
	if err != nil {
		return Object{}, err
	}
	h := Handle(d.opaque())
	a, ok := d.postAttributes()
	if d.err == nil && !ok {
		a, err = c.Getattr(ctx, h)
		return Object{h, a}, err
	}
	return Object{h, a}, d.err
}

// Create makes a file, or with exclusive only one that is not there yet.
func (c *Client) Create(ctx context.Context, dir Handle, name string, s AttributeChange, exclusive bool) (Object, error) {
	var e encoder
	e.where(dir, name)
	mode := uint32(0) // UNCHECKED
	if exclusive {
		mode = 1 // GUARDED
	}
	e.uint32(mode)
	e.set(s)
	return c.made(ctx, procCreate, &e, dir, name)
}

// Mkdir makes a directory.
func (c *Client) Mkdir(ctx context.Context, dir Handle, name string, s AttributeChange) (Object, error) {
	var e encoder
	e.where(dir, name)
	e.set(s)
	return c.made(ctx, procMkdir, &e, dir, name)
}

// Symlink makes a symbolic link.
func (c *Client) Symlink(ctx context.Context, dir Handle, name, target string, s AttributeChange) (Object, error) {
	var e encoder
	e.where(dir, name)
	e.set(s)
	e.string(target)
	return c.made(ctx, procSymlink, &e, dir, name)
}

// made makes a call that makes a name; a repeated one may find it made.
func (c *Client) made(ctx context.Context, procedure uint32, e *encoder, dir Handle, name string) (Object, error) {
	d, repeated, err := c.do(ctx, procedure, e)
	if err != nil {
		if err = done(err, repeated, syscall.EEXIST); err != nil {
			return Object{}, err
		}
		return c.Lookup(ctx, dir, name)
	}
	if !d.bool() {
		return c.Lookup(ctx, dir, name)
	}
	h := Handle(d.opaque())
	a, ok := d.postAttributes()
	if d.err != nil || !ok {
		return c.Lookup(ctx, dir, name)
	}
	return Object{h, a}, nil
}

// Remove removes the name of a file.
func (c *Client) Remove(ctx context.Context, dir Handle, name string) error {
	return c.unname(ctx, procRemove, dir, name)
}

// Rmdir removes an empty directory.
func (c *Client) Rmdir(ctx context.Context, dir Handle, name string) error {
	return c.unname(ctx, procRmdir, dir, name)
}

func (c *Client) unname(ctx context.Context, procedure uint32, dir Handle, name string) error {
	var e encoder
	e.where(dir, name)
	_, repeated, err := c.do(ctx, procedure, &e)
	return done(err, repeated, syscall.ENOENT)
}

// Rename gives a file another name, in place of a file that has it.
func (c *Client) Rename(ctx context.Context, dir Handle, name string, toDir Handle, to string) error {
	var e encoder
	e.where(dir, name)
	e.where(toDir, to)
	_, repeated, err := c.do(ctx, procRename, &e)
	return done(err, repeated, syscall.ENOENT)
}

// Link gives a file one more name.
func (c *Client) Link(ctx context.Context, h, dir Handle, name string) error {
	var e encoder
	e.handle(h)
	e.where(dir, name)
	_, repeated, err := c.do(ctx, procLink, &e)
	return done(err, repeated, syscall.EEXIST)
}

// Entry is a name in a directory.
type Entry struct {
	Name string
	ID   uint64 // file number
}

// Readdir lists a directory.
func (c *Client) Readdir(ctx context.Context, dir Handle) ([]Entry, error) {
	var all []Entry
	var cookie uint64
	var verifier [8]byte
	for {
		var e encoder
		e.handle(dir)
		e.uint64(cookie)
		e.fixed(verifier[:])
		e.uint32(64 << 10)
		d, _, err := c.do(ctx, procReaddir, &e)
		if err != nil {
			return nil, err
		}
		d.postAttributes()
		copy(verifier[:], d.take(8))
		before := len(all)
		for d.bool() {
			entry := Entry{ID: d.uint64(), Name: d.string()}
			cookie = d.uint64()
			all = append(all, entry)
		}
		if end := d.bool(); d.err != nil || end || len(all) == before {
			return all, d.err
		}
	}
}
