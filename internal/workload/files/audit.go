package files

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"plimsoll/internal/describe"
	"plimsoll/internal/host/aio"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// Audit looks for every file that was acknowledged, reads all of each and
// compares every block with the last write that was acknowledged there. Without
// verification it looks at sizes only.
func (Workload) Audit(ctx context.Context, t workload.Target, p workload.Parameters, _ uint64, receipts workload.Receipts) (sum describe.Audit, err error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return sum, err
	}
	err = fileio.OnPrepared(t, own.owner(t.Instance), func(root *fileio.Root, volume uint64) error {
		a := audit{p: own, root: root, volume: volume, known: newKnown(volume, max(1, t.Users), own), sum: describe.Audit{Instance: t.Instance}}
		if err := receipts.Each(a.known.add); err != nil {
			return err
		}
		err := aio.WithBuffer(int(own.BlockSize), func(buffer []byte) error {
			a.buffer = buffer
			return a.run(ctx)
		})
		if err == nil {
			sum = a.result()
		}
		return err
	})
	return sum, err
}

// audit is one instance while it is audited.
type audit struct {
	p      *Parameters
	root   *fileio.Root
	volume uint64
	known  *claims
	buffer []byte
	sum    describe.Audit

	files, covered, wanted, there int64
	blocks, readable, right       int64
	lost, short, unread, mistaken fileio.Examples
}

func (a *audit) run(ctx context.Context) error {
	for user, files := range a.known.users {
		if err := a.user(ctx, user, files); err != nil {
			return err
		}
	}
	return nil
}

// user audits the files of a worker.
func (a *audit) user(ctx context.Context, user int, files []*state) (err error) {
	dir, err := a.root.Dir(fileio.DirOf(top, user))
	if err != nil {
		a.lost.Add("directory of worker %d: %v", user, err)
	} else {
		defer func() { err = errors.Join(err, dir.Close()) }()
	}
	for file, s := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.files++
		if s == nil {
			a.lost.Add("file %d of worker %d", file, user)
			continue
		}
		a.covered++
		a.file(dir, user, file, s)
	}
	return nil
}

// file audits one file, unless nobody knows whether it is there.
func (a *audit) file(dir *fileio.Dir, user, file int, s *state) {
	if s.doubt {
		a.sum.Doubtful++
	}
	blocks := s.blocks(a.p.blocks())
	if !s.there() {
		return
	}
	a.wanted++
	a.blocks += blocks
	if s.byWorker(a.p) {
		a.sum.Acknowledged += s.written
	}
	name := fmt.Sprintf("file %d of worker %d", file, user)
	f, err := openFor(dir, file, a.p)
	if err != nil {
		a.short.Add("%s: %v", name, err)
		return
	}
	defer func() { _ = f.Close() }() // it was only read
	if a.size(f, name, blocks) {
		a.there++
	}
	if a.p.Verify {
		a.read(f, user, file, s)
	}
}

// there reports whether the file must be there: it was written, and neither
// removed nor left in doubt altogether.
func (s state) there() bool {
	return s.generation != 0 && !s.gone && !(s.doubt && s.written == 0 && s.behind == 0)
}

// blocks is how many must be there of a file of so many.
func (s state) blocks(all int64) int64 {
	if s.behind != 0 {
		return all
	}
	return s.written
}

// byWorker reports whether a worker wrote the blocks, not Prepare.
func (s state) byWorker(p *Parameters) bool { return p.Operation == write || s.generation > 1 }

func openFor(dir *fileio.Dir, file int, p *Parameters) (*fileio.File, error) {
	if dir == nil {
		return nil, errors.New("its directory is not there")
	}
	return dir.Open(strconv.Itoa(file), fileio.OpenMode{Direct: p.IO == direct})
}

// size makes sure that so many blocks fit into a file.
func (a *audit) size(f *fileio.File, name string, blocks int64) bool {
	want := int64(0)
	if blocks > 0 {
		offset, length := a.p.span(blocks - 1)
		want = offset + length
	}
	found, err := f.Size()
	switch {
	case err != nil:
		a.short.Add("%s: %v", name, err)
	case found < want:
		a.short.Add("%s has %d bytes; %d were acknowledged", name, found, want)
	}
	return err == nil && found >= want
}

// read compares every block whose contents are known.
func (a *audit) read(f *fileio.File, user, file int, s *state) {
	content := fileio.Content{Volume: a.volume, File: a.p.number(user, file)}
	for block := range s.blocks(a.p.blocks()) {
		offset, length := a.p.span(block)
		if content.Generation = s.expected(block); content.Generation == 0 {
			a.blocks-- // in doubt
			continue
		}
		if err := f.Read(a.buffer[:length], offset); err != nil {
			a.unread.Add("%v", err)
			continue
		}
		a.readable++
		if err := content.Check(a.buffer[:length], offset); err != nil {
			a.mistaken.Add("%v", err)
			continue
		}
		a.right++
		if block < s.written && s.byWorker(a.p) {
			a.sum.Present++
		}
	}
}

// The names of the checks.
const (
	checkCovered  = "a worker accounts for every file"
	checkOnce     = "files that two workers account for"
	checkThere    = "every file that was acknowledged is there, as long as it was written"
	checkReadable = "every block that was acknowledged can be read"
	checkContent  = "every block holds the last write that was acknowledged there"
	onlySizes     = " (content is not verified: verify is false)"
)

func (a *audit) result() describe.Audit {
	if !a.p.Verify {
		a.sum.Present = a.sum.Acknowledged
		a.sum.Checks = []describe.Check{
			fileio.Check(checkCovered, a.files, a.covered, a.lost),
			fileio.Check(checkThere+onlySizes, a.wanted, a.there, a.short),
		}
		return a.sum
	}
	a.sum.Checks = []describe.Check{
		fileio.Check(checkCovered, a.files, a.covered, a.lost),
		fileio.Check(checkOnce, 0, a.known.twice, nil),
		fileio.Check(checkThere, a.wanted, a.there, a.short),
		fileio.Check(checkReadable, a.blocks, a.readable, a.unread),
		fileio.Check(checkContent, a.blocks, a.right, a.mistaken),
	}
	return a.sum
}
