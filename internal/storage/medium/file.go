package medium

import (
	"errors"
	"os"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// The two nodes of the file system.
const (
	rootNode = fuse.FUSE_ROOT_ID
	diskNode = 2
)

// blockFile is a file system with one file: the block device's content. It
// moves the data to and from the image while the model's time passes.
type blockFile struct {
	fuse.RawFileSystem
	image *os.File
	size  int64
	play  *player
}

func newBlockFile(image *os.File, size int64, p *player) *blockFile {
	return &blockFile{RawFileSystem: fuse.NewDefaultRawFileSystem(), image: image, size: size, play: p}
}

// Lookup finds the file.
func (b *blockFile) Lookup(_ <-chan struct{}, h *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	if h.NodeId != rootNode || name != FileName {
		return fuse.ENOENT
	}
	out.NodeId, out.Generation = diskNode, 1
	out.SetEntryTimeout(timeout)
	out.SetAttrTimeout(timeout)
	b.attributes(diskNode, &out.Attr)
	return fuse.OK
}

// GetAttr tells the size, which never changes.
func (b *blockFile) GetAttr(_ <-chan struct{}, in *fuse.GetAttrIn, out *fuse.AttrOut) fuse.Status {
	out.SetTimeout(timeout)
	b.attributes(in.NodeId, &out.Attr)
	return fuse.OK
}

func (b *blockFile) attributes(node uint64, out *fuse.Attr) {
	out.Ino, out.Nlink, out.Blksize = node, 1, 4096
	if node == rootNode {
		out.Mode = unix.S_IFDIR | 0o700
		return
	}
	out.Mode, out.Size = unix.S_IFREG|0o600, uint64(b.size)
}

// Open lets requests pass unchanged and side by side.
func (b *blockFile) Open(_ <-chan struct{}, _ *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	out.OpenFlags = fuse.FOPEN_DIRECT_IO | fuse.FOPEN_PARALLEL_DIRECT_WRITES
	return fuse.OK
}

// Read takes as long as the model says.
func (b *blockFile) Read(_ <-chan struct{}, in *fuse.ReadIn, buffer []byte) (fuse.ReadResult, fuse.Status) {
	at := int64(in.Offset)
	length := min(int64(in.Size), b.size-at)
	if length <= 0 {
		return fuse.ReadResultData(nil), fuse.OK
	}
	t := b.play.submit(Request{Op: Read, Offset: at, Length: length})
	n, err := b.image.ReadAt(buffer[:length], at)
	b.play.wait(t)
	if int64(n) < length {
		return nil, status(err)
	}
	return fuse.ReadResultData(buffer[:n]), fuse.OK
}

// Write takes as long as the model says.
func (b *blockFile) Write(_ <-chan struct{}, in *fuse.WriteIn, data []byte) (uint32, fuse.Status) {
	at := int64(in.Offset)
	if at+int64(len(data)) > b.size {
		return 0, fuse.Status(unix.ENOSPC)
	}
	t := b.play.submit(Request{Op: Write, Offset: at, Length: int64(len(data))})
	n, err := b.image.WriteAt(data, at)
	b.play.wait(t)
	return uint32(n), status(err)
}

// Fsync is how a flush of the loop device comes here. The image itself is not
// synced: what is simulated is the time of a flush.
func (b *blockFile) Fsync(<-chan struct{}, *fuse.FsyncIn) fuse.Status {
	b.play.wait(b.play.submit(Request{Op: Flush}))
	return fuse.OK
}

// Fallocate is how a discard comes here; it costs no time.
func (b *blockFile) Fallocate(_ <-chan struct{}, in *fuse.FallocateIn) fuse.Status {
	const punch, zero, keep = unix.FALLOC_FL_PUNCH_HOLE, unix.FALLOC_FL_ZERO_RANGE, unix.FALLOC_FL_KEEP_SIZE
	if in.Mode&(punch|zero) == 0 {
		return fuse.Status(unix.EOPNOTSUPP)
	}
	return status(unix.Fallocate(int(b.image.Fd()), punch|keep, int64(in.Offset), int64(in.Length)))
}

// StatFs is asked for by tools.
func (b *blockFile) StatFs(_ <-chan struct{}, _ *fuse.InHeader, out *fuse.StatfsOut) fuse.Status {
	out.Bsize, out.Frsize, out.Blocks = 4096, 4096, uint64(b.size/4096)
	return fuse.OK
}

// OpenDir and ReadDir show the one file.
func (b *blockFile) OpenDir(<-chan struct{}, *fuse.OpenIn, *fuse.OpenOut) fuse.Status { return fuse.OK }

// ReadDir lists the file.
func (b *blockFile) ReadDir(_ <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	if in.Offset == 0 {
		out.AddDirEntry(fuse.DirEntry{Name: FileName, Mode: unix.S_IFREG, Ino: diskNode})
	}
	return fuse.OK
}

// status turns an error of the image into what the host sees.
func status(err error) fuse.Status {
	var number unix.Errno
	switch {
	case err == nil:
		return fuse.OK
	case errors.As(err, &number):
		return fuse.Status(number)
	}
	return fuse.EIO
}
