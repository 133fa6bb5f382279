package nfs3

import (
	"context"
	"errors"
	"io"
	"syscall"
)

// Getattr returns a file's attributes.
func (c *Client) Getattr(ctx context.Context, h Handle) (Attributes, error) {
	var e encoder
	e.handle(h)
	d, _, err := c.do(ctx, procGetattr, &e)
	if err != nil {
		return Attributes{}, err
	}
	a := d.attributes()
	return a, d.err
}

// Setattr changes attributes and gives those after.
func (c *Client) Setattr(ctx context.Context, h Handle, s AttributeChange) (Attributes, error) {
	var e encoder
	e.handle(h)
	e.set(s)
	e.bool(false) // whatever its ctime
	d, _, err := c.do(ctx, procSetattr, &e)
	if err != nil {
		return Attributes{}, err
	}
	a, ok := d.change()
	if d.err != nil || !ok {
		return c.Getattr(ctx, h)
	}
	return a, nil
}

// Read fills a buffer from an offset, as far as the file goes.
func (c *Client) Read(ctx context.Context, h Handle, to []byte, offset uint64) (n int, err error) {
	for n < len(to) {
		part := to[n:min(len(to), n+int(c.Info.MaxRead))]
		got, eof, err := c.readPart(ctx, h, part, offset+uint64(n))
		n += got
		if err != nil {
			return n, err
		}
		if eof || got == 0 {
			return n, nil
		}
	}
	return n, nil
}

func (c *Client) readPart(ctx context.Context, h Handle, to []byte, offset uint64) (n int, eof bool, err error) {
	var e encoder
	e.handle(h)
	e.uint64(offset)
	e.uint32(uint32(len(to)))
	d, _, err := c.do(ctx, procRead, &e)
	if err != nil {
		return 0, false, err
	}
	d.postAttributes()
	d.uint32() // count, as the data says too
	eof = d.bool()
	n = copy(to, d.opaque())
	return n, eof, d.err
}

// Verifier changes when the server restarts and loses its unwritten data.
type Verifier [8]byte

// Write writes without waiting for the medium: only Commit does. It returns the server's
// verifier at the time of each write.
func (c *Client) Write(ctx context.Context, h Handle, data []byte, offset uint64) (all []Verifier, err error) {
	for len(data) > 0 {
		part := data[:min(len(data), int(c.Info.MaxWrite))]
		n, v, err := c.writePart(ctx, h, part, offset)
		if err != nil {
			return all, err
		}
		if n == 0 || n > len(part) {
			return all, io.ErrShortWrite
		}
		all = append(all, v)
		data, offset = data[n:], offset+uint64(n)
	}
	return all, nil
}

func (c *Client) writePart(ctx context.Context, h Handle, data []byte, offset uint64) (n int, v Verifier, err error) {
	e := encoder{b: make([]byte, 0, 128+len(data))}
	e.handle(h)
	e.uint64(offset)
	e.uint32(uint32(len(data)))
	e.uint32(0) // UNSTABLE
	e.opaque(data)
	d, _, err := c.do(ctx, procWrite, &e)
	if err != nil {
		return 0, v, err
	}
	d.change()
	n = int(d.uint32())
	d.uint32() // how stable it is; a Commit follows in any case
	copy(v[:], d.take(8))
	return n, v, d.err
}

// Commit waits until everything written to the file is on the medium.
func (c *Client) Commit(ctx context.Context, h Handle) (v Verifier, err error) {
	var e encoder
	e.handle(h)
	e.uint64(0) // from the start
	e.uint32(0) // to the end
	d, _, err := c.do(ctx, procCommit, &e)
	if err != nil {
		return v, err
	}
	d.change()
	copy(v[:], d.take(8))
	return v, d.err
}

// Readlink returns the target of a symbolic link.
func (c *Client) Readlink(ctx context.Context, h Handle) (string, error) {
	var e encoder
	e.handle(h)
	d, _, err := c.do(ctx, procReadlink, &e)
	if err != nil {
		return "", err
	}
	d.postAttributes()
	target := d.string()
	return target, d.err
}

// Space is the space of a file system (FSSTAT), in bytes and files.
type Space struct{ Total, Free, Available, Files, FilesFree, FilesAvailable uint64 }

// Statfs tells the space of the export.
func (c *Client) Statfs(ctx context.Context) (Space, error) {
	var e encoder
	e.handle(c.Root)
	d, _, err := c.do(ctx, procFsstat, &e)
	if err != nil {
		return Space{}, err
	}
	d.postAttributes()
	s := Space{d.uint64(), d.uint64(), d.uint64(), d.uint64(), d.uint64(), d.uint64()}
	return s, d.err
}

// done forgives a repeated call that finds its own work done.
func done(err error, repeated bool, sign syscall.Errno) error {
	if repeated && errors.Is(err, sign) {
		return nil
	}
	return err
}
