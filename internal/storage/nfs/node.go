package nfs

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"plimsoll/internal/storage/nfs/nfs3"
)

// share is what all files of a mount have in common.
type share struct {
	client *nfs3.Client
}

// node is a file or directory of the mount.
type node struct {
	fs.Inode
	share  *share
	handle nfs3.Handle

	mu      sync.Mutex
	opened  int         // how many have it open
	hidden  hiddenName  // its name after it was removed while open
	pending pendingData // written and not yet committed
}

// hiddenName is the name of a file that lives on only because it is open.
type hiddenName struct {
	dir  nfs3.Handle
	name string
}

var (
	_ fs.NodeGetattrer  = (*node)(nil)
	_ fs.NodeSetattrer  = (*node)(nil)
	_ fs.NodeStatfser   = (*node)(nil)
	_ fs.NodeLookuper   = (*node)(nil)
	_ fs.NodeReaddirer  = (*node)(nil)
	_ fs.NodeReadlinker = (*node)(nil)
	_ fs.NodeMkdirer    = (*node)(nil)
	_ fs.NodeSymlinker  = (*node)(nil)
	_ fs.NodeLinker     = (*node)(nil)
	_ fs.NodeUnlinker   = (*node)(nil)
	_ fs.NodeRmdirer    = (*node)(nil)
	_ fs.NodeRenamer    = (*node)(nil)
	_ fs.NodeCreater    = (*node)(nil)
	_ fs.NodeOpener     = (*node)(nil)
	_ fs.NodeReader     = (*node)(nil)
	_ fs.NodeWriter     = (*node)(nil)
	_ fs.NodeFlusher    = (*node)(nil)
	_ fs.NodeFsyncer    = (*node)(nil)
	_ fs.NodeReleaser   = (*node)(nil)
)

// errnoOf returns the server's error, or an I/O error for anything that is not
// the server's word.
func errnoOf(err error) syscall.Errno {
	if err == nil {
		return 0
	}
	var number syscall.Errno
	if errors.As(err, &number) && !errors.Is(err, context.DeadlineExceeded) {
		return number
	}
	return syscall.EIO
}

// detached is a context that a signal to the caller does not end: a call that
// was sent is carried out, and its caller must know how it went.
func detached(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }

func fill(out *fuse.Attr, a nfs3.Attributes) {
	const block = 512
	out.Ino, out.Mode, out.Nlink = a.ID, a.Type|a.Mode, a.Nlink
	out.Uid, out.Gid = a.UID, a.GID
	out.Size, out.Blocks, out.Blksize = a.Size, (a.Used+block-1)/block, 4096
	out.SetTimes(&a.Atime, &a.Mtime, &a.Ctime)
}

// child returns the node of an object, the same one for the same file.
func (n *node) child(ctx context.Context, f nfs3.Object, out *fuse.EntryOut) *fs.Inode {
	fill(&out.Attr, f.Attributes)
	made := &node{share: n.share, handle: f.Handle}
	return n.NewInode(ctx, made, fs.StableAttr{Mode: f.Attributes.Type, Ino: f.Attributes.ID})
}

// Getattr implements fs.NodeGetattrer.
func (n *node) Getattr(ctx context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	a, err := n.share.client.Getattr(detached(ctx), n.handle)
	fill(&out.Attr, a)
	return errnoOf(err)
}

// Setattr implements fs.NodeSetattrer.
func (n *node) Setattr(ctx context.Context, _ fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	a, err := n.share.client.Setattr(detached(ctx), n.handle, setOf(in))
	fill(&out.Attr, a)
	return errnoOf(err)
}

func setOf(in *fuse.SetAttrIn) nfs3.AttributeChange {
	var s nfs3.AttributeChange
	if mode, ok := in.GetMode(); ok {
		mode &= 0o7777
		s.Mode = &mode
	}
	if uid, ok := in.GetUID(); ok {
		s.UID = &uid
	}
	if gid, ok := in.GetGID(); ok {
		s.GID = &gid
	}
	if size, ok := in.GetSize(); ok {
		s.Size = &size
	}
	if t, ok := in.GetATime(); ok {
		s.Atime = &t
	}
	if t, ok := in.GetMTime(); ok {
		s.Mtime = &t
	}
	return s
}

// ownerOf makes new files the caller's: the server sees root alone.
func ownerOf(ctx context.Context, mode uint32) nfs3.AttributeChange {
	mode &= 0o7777
	s := nfs3.AttributeChange{Mode: &mode}
	if caller, ok := fuse.FromContext(ctx); ok {
		s.UID, s.GID = &caller.Uid, &caller.Gid
	}
	return s
}

// Statfs implements fs.NodeStatfser.
func (n *node) Statfs(ctx context.Context, out *fuse.StatfsOut) syscall.Errno {
	const block = 4096
	s, err := n.share.client.Statfs(detached(ctx))
	out.Bsize, out.Frsize, out.NameLen = block, block, 255
	out.Blocks, out.Bfree, out.Bavail = s.Total/block, s.Free/block, s.Available/block
	out.Files, out.Ffree = s.Files, s.FilesFree
	return errnoOf(err)
}

// Lookup implements fs.NodeLookuper.
func (n *node) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	f, err := n.share.client.Lookup(detached(ctx), n.handle, name)
	if err != nil {
		return nil, errnoOf(err)
	}
	return n.child(ctx, f, out), 0
}

// Readdir implements fs.NodeReaddirer.
func (n *node) Readdir(ctx context.Context) (fs.DirStream, syscall.Errno) {
	entries, err := n.share.client.Readdir(detached(ctx), n.handle)
	if err != nil {
		return nil, errnoOf(err)
	}
	var list []fuse.DirEntry
	for _, e := range entries {
		if e.Name != "." && e.Name != ".." {
			list = append(list, fuse.DirEntry{Name: e.Name, Ino: e.ID})
		}
	}
	return fs.NewListDirStream(list), 0
}

// Readlink implements fs.NodeReadlinker.
func (n *node) Readlink(ctx context.Context) ([]byte, syscall.Errno) {
	target, err := n.share.client.Readlink(detached(ctx), n.handle)
	return []byte(target), errnoOf(err)
}

// Mkdir implements fs.NodeMkdirer.
func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	f, err := n.share.client.Mkdir(detached(ctx), n.handle, name, ownerOf(ctx, mode))
	if err != nil {
		return nil, errnoOf(err)
	}
	return n.child(ctx, f, out), 0
}

// Symlink implements fs.NodeSymlinker.
func (n *node) Symlink(ctx context.Context, target, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	f, err := n.share.client.Symlink(detached(ctx), n.handle, name, target, ownerOf(ctx, 0o777))
	if err != nil {
		return nil, errnoOf(err)
	}
	return n.child(ctx, f, out), 0
}

// Link implements fs.NodeLinker.
func (n *node) Link(ctx context.Context, target fs.InodeEmbedder, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	other, ok := target.(*node)
	if !ok {
		return nil, syscall.EXDEV
	}
	if err := n.share.client.Link(detached(ctx), other.handle, n.handle, name); err != nil {
		return nil, errnoOf(err)
	}
	return n.Lookup(ctx, name, out)
}

// Rmdir implements fs.NodeRmdirer.
func (n *node) Rmdir(ctx context.Context, name string) syscall.Errno {
	return errnoOf(n.share.client.Rmdir(detached(ctx), n.handle, name))
}

// Unlink implements fs.NodeUnlinker. A file that is open is hidden instead,
// until it is closed.
func (n *node) Unlink(ctx context.Context, name string) syscall.Errno {
	ctx = detached(ctx)
	if open := n.openChild(name); open != nil {
		return errnoOf(open.hide(ctx, n.handle, name))
	}
	return errnoOf(n.share.client.Remove(ctx, n.handle, name))
}

// Rename implements fs.NodeRenamer. The protocol knows neither exchange nor
// "only if there is none".
func (n *node) Rename(ctx context.Context, name string, newParent fs.InodeEmbedder, newName string, flags uint32) syscall.Errno {
	to, ok := newParent.(*node)
	if !ok || flags != 0 {
		return syscall.EINVAL
	}
	ctx = detached(ctx)
	if open := to.openChild(newName); open != nil && open != n.openChild(name) {
		if err := open.hide(ctx, to.handle, newName); err != nil {
			return errnoOf(err)
		}
	}
	return errnoOf(n.share.client.Rename(ctx, n.handle, name, to.handle, newName))
}

// openChild returns the file of a name if it is open.
func (n *node) openChild(name string) *node {
	inode := n.GetChild(name)
	if inode == nil {
		return nil
	}
	child, ok := inode.Operations().(*node)
	if !ok {
		return nil
	}
	child.mu.Lock()
	defer child.mu.Unlock()
	if child.opened == 0 {
		return nil
	}
	return child
}

// hide gives an open file a name that nobody looks for (RFC 1813, section 4.2:
// what servers forget, clients must remember).
func (n *node) hide(ctx context.Context, dir nfs3.Handle, name string) error {
	a, err := n.share.client.Getattr(ctx, n.handle)
	if err != nil {
		return err
	}
	if a.Nlink > 1 {
		return n.share.client.Remove(ctx, dir, name) // another name keeps it
	}
	hidden := hiddenFile(a.ID)
	if err := n.share.client.Rename(ctx, dir, name, dir, hidden); err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hidden = hiddenName{dir, hidden}
	return nil
}

// unixTime is for the names of hidden files.
func unixTime() int64 { return time.Now().UnixNano() }
