package medium

import (
	"errors"
	"sync"
	"time"
	"unsafe"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// Numbers of requests (enum fuse_opcode in linux/fuse.h).
const (
	opLookup      = 1
	opForget      = 2
	opGetAttr     = 3
	opOpen        = 14
	opRead        = 15
	opWrite       = 16
	opStatFS      = 17
	opRelease     = 18
	opFsync       = 20
	opFlush       = 25
	opInit        = 26
	opOpenDir     = 27
	opReadDir     = 28
	opReleaseDir  = 29
	opDestroy     = 38
	opBatchForget = 42
	opFallocate   = 43
)

// The nodes of the file system.
const (
	rootNode = fuse.FUSE_ROOT_ID
	diskNode = 2
	// countNode is the first of countFiles.
	countNode = 3
)

// countFiles are the files of counts. Their texts are asked for with mu held.
var countFiles = []struct {
	name   string
	tiered bool // there for a tiered medium only
	text   func(*player) string
}{
	{OrderFile, false, func(p *player) string { return p.order.text() }},
	{TierStat, true, func(p *player) string { return p.tier.fast.stat(p.now()) }},
	{SlowStat, true, func(p *player) string { return p.tier.slow.stat(p.now()) }},
	{TierOrder, true, func(p *player) string { return p.tier.fast.order.text() }},
	{SlowOrder, true, func(p *player) string { return p.tier.slow.order.text() }},
}

// timeout is how long the kernel may keep names and attributes, which never
// change.
const timeout = time.Hour

// handle serves one request, or begins to.
func (p *player) handle(h *fuse.InHeader) {
	switch h.Opcode {
	case opRead:
		if h.NodeId != diskNode {
			p.readCounts(h)
			return
		}
		p.read(request[fuse.ReadIn](h))
	case opWrite:
		p.write(request[fuse.WriteIn](h))
	case opFsync:
		// A flush of the loop device arrives as an fsync. The image is not synced: only the
		// time of a flush is simulated.
		p.submit(&operation{unique: h.Unique, op: Flush}, Request{Op: Flush})
	case opFallocate:
		p.kernel.replyError(h.Unique, p.discard(request[fuse.FallocateIn](h)))
	default:
		p.housekeeping(h)
	}
}

// housekeeping answers what has nothing to do with data.
func (p *player) housekeeping(h *fuse.InHeader) {
	k, id := p.kernel, h.Unique
	switch h.Opcode {
	case opInit:
		reply(k, id, greet(request[fuse.InitIn](h)))
	case opLookup:
		p.lookup(h)
	case opGetAttr:
		out := fuse.AttrOut{Attr: p.attributes(h.NodeId)}
		out.SetTimeout(timeout)
		reply(k, id, &out)
	case opOpen:
		// Requests pass unchanged and side by side.
		reply(k, id, &fuse.OpenOut{OpenFlags: fuse.FOPEN_DIRECT_IO | fuse.FOPEN_PARALLEL_DIRECT_WRITES})
	case opOpenDir:
		reply(k, id, &fuse.OpenOut{})
	case opStatFS:
		blocks := uint64(p.size / block)
		reply(k, id, &fuse.StatfsOut{Blocks: blocks, Bsize: block, Frsize: block, NameLen: 255})
	case opReadDir, opFlush, opRelease, opReleaseDir, opDestroy:
		k.replyError(id, 0)
	case opForget, opBatchForget: // no answer is expected
	default:
		k.replyError(id, unix.ENOSYS)
	}
}

// greet agrees on the protocol: version 7.28 as go-fuse speaks it, large
// requests, and direct I/O that does not wait.
func greet(in *fuse.InitIn) *fuse.InitOut {
	const wanted = fuse.CAP_ASYNC_READ | fuse.CAP_BIG_WRITES | fuse.CAP_ASYNC_DIO | fuse.CAP_MAX_PAGES
	return &fuse.InitOut{
		Major: 7, Minor: min(28, in.Minor), Flags: in.Flags & wanted,
		MaxReadAhead: in.MaxReadAhead, MaxWrite: largestTransfer,
		MaxPages:      uint16(largestTransfer / unix.Getpagesize()),
		MaxBackground: 1024, CongestionThreshold: 1024, // more than a loop device has under way
		TimeGran: 1,
	}
}

func (p *player) lookup(h *fuse.InHeader) {
	name := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(h), unsafe.Sizeof(*h))), int(h.Length)-int(unsafe.Sizeof(*h)))
	node := p.nodeNamed(unix.ByteSliceToString(name))
	if h.NodeId != rootNode || node == 0 {
		p.kernel.replyError(h.Unique, unix.ENOENT)
		return
	}
	out := fuse.EntryOut{NodeId: node, Generation: 1, Attr: p.attributes(node)}
	out.SetEntryTimeout(timeout)
	out.SetAttrTimeout(timeout)
	reply(p.kernel, h.Unique, &out)
}

// nodeNamed is 0 where there is none.
func (p *player) nodeNamed(name string) uint64 {
	if name == FileName {
		return diskNode
	}
	for i, c := range countFiles {
		if c.name == name && (p.tier != nil || !c.tiered) {
			return countNode + uint64(i)
		}
	}
	return 0
}

func (p *player) attributes(node uint64) fuse.Attr {
	switch {
	case node == rootNode:
		return fuse.Attr{Ino: node, Nlink: 2, Blksize: block, Mode: unix.S_IFDIR | 0o700}
	case node >= countNode:
		return fuse.Attr{Ino: node, Nlink: 1, Blksize: block, Mode: unix.S_IFREG | 0o400}
	}
	return fuse.Attr{Ino: node, Nlink: 1, Blksize: block, Mode: unix.S_IFREG | 0o600, Size: uint64(p.size)}
}

// read loads the data while the model's time passes: at once when it is in the page cache,
// otherwise concurrently with other requests.
func (p *player) read(in *fuse.ReadIn) {
	at := int64(in.Offset)
	length := min(int64(in.Size), p.size-at)
	if length <= 0 {
		p.kernel.replyError(in.Unique, 0)
		return
	}
	o := &operation{unique: in.Unique, op: Read, length: int(length)}
	o.recycleable = p.pool(length)
	o.data = o.recycleable.Get().([]byte)[:length]
	n, err := unix.Preadv2(int(p.image.Fd()), [][]byte{o.data}, at, unix.RWF_NOWAIT)
	o.loading = err != nil || n < o.length
	p.submit(o, Request{Op: Read, Offset: at, Length: length})
	if o.loading {
		go p.load(o, at)
	}
}

// readCounts answers with a file of counts.
func (p *player) readCounts(h *fuse.InHeader) {
	in := request[fuse.ReadIn](h)
	p.mu.Lock()
	text := []byte(countFiles[h.NodeId-countNode].text(p))
	p.mu.Unlock()
	from := min(in.Offset, uint64(len(text)))
	p.kernel.replyBytes(in.Unique, text[from:min(from+uint64(in.Size), uint64(len(text)))])
}

func (p *player) pool(length int64) *sync.Pool {
	if length <= smallRead {
		return &p.small
	}
	return &p.large
}

// load waits for the disk below the image.
func (p *player) load(o *operation, at int64) {
	_, err := p.image.ReadAt(o.data, at)
	p.mu.Lock()
	defer p.mu.Unlock()
	if o.loading = false; o.err == 0 {
		o.err = errnoOf(err)
	}
	p.answerIfReady(o)
}

func (p *player) write(in *fuse.WriteIn) {
	at := int64(in.Offset)
	data := p.kernel.payload(in)
	if at+int64(len(data)) > p.size {
		p.kernel.replyError(in.Unique, unix.ENOSPC)
		return
	}
	o := &operation{unique: in.Unique, op: Write, length: len(data)}
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	if o.number, err = p.overwrites(at, int64(len(data))); err == nil {
		_, err = p.image.WriteAt(data, at)
	}
	o.err = errnoOf(err)
	p.begin(o, Request{Op: Write, Offset: at, Length: int64(len(data))})
}

// discard makes a hole in the image; it costs no simulated time. A power cut
// may undo small ones, by which file systems fill with zeros; large ones are on
// the medium at once.
func (p *player) discard(in *fuse.FallocateIn) unix.Errno {
	const punch, zero, keep = unix.FALLOC_FL_PUNCH_HOLE, unix.FALLOC_FL_ZERO_RANGE, unix.FALLOC_FL_KEEP_SIZE
	if in.Mode&(punch|zero) == 0 {
		return unix.EOPNOTSUPP
	}
	at, length := int64(in.Offset), int64(in.Length)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tier.discard(at, at+length)
	if length <= largestTransfer {
		number, err := p.overwrites(at, length)
		if err != nil {
			return errnoOf(err)
		}
		defer p.undo.answer(number)
	} else if p.dead() {
		return unix.EIO
	}
	return errnoOf(unix.Fallocate(int(p.image.Fd()), punch|keep, at, length))
}

// answer gives the kernel the outcome of an operation.
func (p *player) answer(o *operation) {
	switch {
	case o.err != 0:
		p.kernel.replyError(o.unique, o.err)
	case o.op == Read:
		p.kernel.replyBytes(o.unique, o.data)
	case o.op == Write:
		reply(p.kernel, o.unique, &fuse.WriteOut{Size: uint32(o.length)})
	default:
		p.kernel.replyError(o.unique, 0)
	}
	if o.data != nil {
		//lint:ignore SA6002 a slice header is cheap compared with the system calls
		o.recycleable.Put(o.data[:cap(o.data)]) //nolint:staticcheck // SA6002, as above
	}
}

// errnoOf turns an error of the image into the host's error.
func errnoOf(err error) unix.Errno {
	var number unix.Errno
	switch {
	case err == nil:
		return 0
	case errors.As(err, &number):
		return number
	}
	return unix.EIO
}
