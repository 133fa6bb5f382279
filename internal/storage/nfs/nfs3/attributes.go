package nfs3

import (
	"syscall"
	"time"
)

// Attributes are a file's attributes (fattr3).
type Attributes struct {
	Type                uint32 // S_IFREG, S_IFDIR, ... of Unix
	Mode                uint32 // permission bits
	Nlink, UID, GID     uint32
	Size, Used          uint64 // bytes
	ID                  uint64 // file number on its file system
	Atime, Mtime, Ctime time.Time
}

func (d *decoder) attributes() Attributes {
	var a Attributes
	kind := d.uint32()
	types := []uint32{0, syscall.S_IFREG, syscall.S_IFDIR, syscall.S_IFBLK, syscall.S_IFCHR, syscall.S_IFLNK, syscall.S_IFSOCK, syscall.S_IFIFO}
	if int(kind) < len(types) {
		a.Type = types[kind]
	}
	a.Mode, a.Nlink, a.UID, a.GID = d.uint32(), d.uint32(), d.uint32(), d.uint32()
	a.Size, a.Used = d.uint64(), d.uint64()
	d.uint64() // rdev
	d.uint64() // fsid
	a.ID = d.uint64()
	a.Atime, a.Mtime, a.Ctime = d.time(), d.time(), d.time()
	return a
}

func (d *decoder) time() time.Time {
	seconds := d.uint32()
	return time.Unix(int64(seconds), int64(d.uint32()))
}

// postAttributes may be left out by the server.
func (d *decoder) postAttributes() (Attributes, bool) {
	if !d.bool() {
		return Attributes{}, false
	}
	return d.attributes(), true
}

// change decodes a server's attributes of a file before and after an operation (wcc_data).
func (d *decoder) change() (after Attributes, ok bool) {
	if d.bool() {
		d.take(24) // size, mtime, ctime before
	}
	return d.postAttributes()
}

// AttributeChange is a change of a file's attributes; nil leaves one as it is.
type AttributeChange struct {
	Mode, UID, GID *uint32
	Size           *uint64
	Atime, Mtime   *time.Time
}

func (e *encoder) set(s AttributeChange) {
	for _, v := range []*uint32{s.Mode, s.UID, s.GID} {
		e.bool(v != nil)
		if v != nil {
			e.uint32(*v)
		}
	}
	e.bool(s.Size != nil)
	if s.Size != nil {
		e.uint64(*s.Size)
	}
	for _, t := range []*time.Time{s.Atime, s.Mtime} {
		if t == nil {
			e.uint32(0)
			continue
		}
		e.uint32(2) // the client's time
		e.uint32(uint32(t.Unix()))
		e.uint32(uint32(t.Nanosecond()))
	}
}
