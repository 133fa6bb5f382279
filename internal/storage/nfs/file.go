package nfs

import (
	"context"
	"fmt"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"plimsoll/internal/storage/nfs/nfs3"
)

// openedFile is a file handle. Pending data is recorded with the node, as a flush through
// one handle covers writes through another.
type openedFile struct {
	// synchronous handles (O_SYNC, O_DSYNC) wait for the medium at each write.
	// The kernel does not ask for it on every way that a write can take.
	synchronous bool
}

func handleOf(flags uint32) openedFile {
	return openedFile{synchronous: flags&(syscall.O_SYNC|syscall.O_DSYNC) != 0}
}

// pendingData is data that the server has accepted and may still lose.
type pendingData struct {
	any      bool
	verifier nfs3.Verifier
	lost     bool // the server started anew in between
}

// took notes that the server took data.
func (p *pendingData) took(v nfs3.Verifier) {
	if p.any && p.verifier != v {
		p.lost = true
	}
	p.any, p.verifier = true, v
}

func hiddenFile(id uint64) string { return fmt.Sprintf(".nfs%016x%08x", id, uint32(unixTime())) }

// Open implements fs.NodeOpener.
func (n *node) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	if flags&syscall.O_TRUNC != 0 {
		var none uint64
		if _, err := n.share.client.Setattr(detached(ctx), n.handle, nfs3.AttributeChange{Size: &none}); err != nil {
			return nil, 0, errnoOf(err)
		}
	}
	n.hold()
	return handleOf(flags), fuse.FOPEN_KEEP_CACHE, 0
}

func (n *node) hold() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.opened++
}

// Create implements fs.NodeCreater.
func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	s := ownerOf(ctx, mode)
	if flags&syscall.O_TRUNC != 0 {
		s.Size = new(uint64)
	}
	f, err := n.share.client.Create(detached(ctx), n.handle, name, s, flags&syscall.O_EXCL != 0)
	if err != nil {
		return nil, nil, 0, errnoOf(err)
	}
	inode := n.child(ctx, f, out)
	inode.Operations().(*node).hold()
	return inode, handleOf(flags), fuse.FOPEN_KEEP_CACHE, 0
}

// Read implements fs.NodeReader.
func (n *node) Read(ctx context.Context, _ fs.FileHandle, to []byte, offset int64) (fuse.ReadResult, syscall.Errno) {
	got, err := n.share.client.Read(detached(ctx), n.handle, to, uint64(offset))
	if err != nil {
		return nil, errnoOf(err)
	}
	return fuse.ReadResultData(to[:got]), 0
}

// Write implements fs.NodeWriter.
func (n *node) Write(ctx context.Context, f fs.FileHandle, data []byte, offset int64) (uint32, syscall.Errno) {
	taken, err := n.share.client.Write(detached(ctx), n.handle, data, uint64(offset))
	n.took(taken)
	if err != nil {
		return 0, errnoOf(err)
	}
	if own, ok := f.(openedFile); ok && own.synchronous {
		if errno := n.commit(detached(ctx)); errno != 0 {
			return 0, errno
		}
	}
	return uint32(len(data)), 0
}

func (n *node) took(all []nfs3.Verifier) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, v := range all {
		n.pending.took(v)
	}
}

// Fsync implements fs.NodeFsyncer.
func (n *node) Fsync(ctx context.Context, _ fs.FileHandle, _ uint32) syscall.Errno {
	return n.commit(detached(ctx))
}

// Flush implements fs.NodeFlusher: close waits for the medium, as NFS clients
// promise ("close to open").
func (n *node) Flush(ctx context.Context, _ fs.FileHandle) syscall.Errno {
	return n.commit(detached(ctx))
}

// commit waits until the server has written all data it accepted so far. Data written
// meanwhile belongs to the next commit.
func (n *node) commit(ctx context.Context) syscall.Errno {
	n.mu.Lock()
	pending := n.pending
	n.pending = pendingData{}
	n.mu.Unlock()
	if !pending.any {
		return 0
	}
	v, err := n.share.client.Commit(ctx, n.handle)
	if err != nil {
		n.mu.Lock()
		n.pending.any, n.pending.verifier = true, pending.verifier
		n.pending.lost = n.pending.lost || pending.lost
		n.mu.Unlock()
		return errnoOf(err)
	}
	if pending.lost || v != pending.verifier {
		return syscall.EIO // reported once, as the kernel does
	}
	return 0
}

// Release implements fs.NodeReleaser: the last one removes a hidden file.
func (n *node) Release(ctx context.Context, _ fs.FileHandle) syscall.Errno {
	n.mu.Lock()
	n.opened--
	hidden := n.hidden
	if n.opened > 0 {
		hidden = hiddenName{}
	} else {
		n.hidden = hiddenName{}
	}
	n.mu.Unlock()
	if hidden.name == "" {
		return 0
	}
	return errnoOf(n.share.client.Remove(detached(ctx), hidden.dir, hidden.name))
}
