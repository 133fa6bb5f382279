package blockio

import (
	"context"
	"os"

	"plimsoll/internal/describe"
	"plimsoll/internal/host/aio"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// Audit reads every block of the volume and compares it with the last write
// that was acknowledged there. A write that was overwritten is present when
// the last one is.
func (Workload) Audit(ctx context.Context, t workload.Target, p workload.Parameters, _ uint64, receipts workload.Receipts) (describe.Audit, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return describe.Audit{}, err
	}
	a := audit{p: own}
	e := t.Endpoint(volumeRole)
	path, err := pathOf(e)
	if err != nil {
		return describe.Audit{}, err
	}
	f, err := openFile(path, ways(e)&^os.O_RDWR, own.Mode == modeDirect)
	if err != nil {
		return describe.Audit{}, err
	}
	defer f.Close()
	blocks, err := blocksOf(f, own)
	if err != nil {
		return describe.Audit{}, err
	}
	if !own.Verify {
		return describe.Audit{Instance: t.Instance, Checks: []describe.Check{
			{Name: "the volume has its size (nothing is verified: verify is false)", Passed: true, Expected: blocks, Found: blocks},
		}}, nil
	}
	if err := a.learn(receipts, blocks); err != nil {
		return describe.Audit{}, err
	}
	if err := a.read(ctx, f, blocks); err != nil {
		return describe.Audit{}, err
	}
	return a.result(t.Instance, blocks), nil
}

// audit is one instance while it is audited.
type audit struct {
	p               *Parameters
	known           claims
	sum             describe.Audit
	readable, right int64 // blocks
	unread, wrong   fileio.Examples
}

func (a *audit) learn(receipts workload.Receipts, blocks int64) error {
	return receipts.Each(func(receipt []byte) error { return a.known.add(receipt, blocks) })
}

func (a *audit) read(ctx context.Context, f *os.File, blocks int64) error {
	unit := a.p.unit()
	s := sweep{
		file: int(f.Fd()), name: f.Name(), kind: aio.Read, chunk: chunkOf(unit), to: blocks * unit,
		progress: func(float64) {},
		visit: func(chunk []byte, offset int64, err error) error {
			for at := int64(0); at < int64(len(chunk)); at += unit {
				a.block(chunk[at:at+unit], offset+at, err)
			}
			return nil
		},
	}
	return s.run(ctx)
}

// block checks one block; unread is the error of reading it.
func (a *audit) block(block []byte, offset int64, unread error) {
	want := a.expected(offset / a.p.unit())
	writes := int64(want.generation) - loaded
	switch {
	case want.generation == 0: // no receipt: counted as not covered
		return
	case want.doubtful:
		a.sum.Doubtful++
		writes-- // the last one was not acknowledged
	}
	a.sum.Acknowledged += max(0, writes)
	if unread != nil {
		a.unread.Add("offset %d: %v", offset, unread)
		return
	}
	a.readable++
	s := blockcheck.Stamp{Volume: a.known.volume, Offset: offset, Generation: want.generation}
	if err := s.Check(block); err != nil && !want.doubtful {
		a.wrong.Add("%v", err)
		return
	}
	a.right++
	a.sum.Present += max(0, writes)
}

func (a *audit) expected(block int64) expectation {
	if block >= int64(len(a.known.blocks)) {
		return expectation{}
	}
	return a.known.blocks[block]
}

func (a *audit) result(instance int, blocks int64) describe.Audit {
	covered := int64(0)
	for _, e := range a.known.blocks {
		if e.generation != 0 {
			covered++
		}
	}
	wrong := a.wrong
	for _, example := range a.unread {
		wrong.Add("%s", example)
	}
	a.sum.Checks = []describe.Check{
		fileio.Check(checkCovered, blocks, covered, nil),
		fileio.Check(checkOnce, 0, a.known.twice, nil),
		fileio.Check(checkReadable, covered, a.readable, a.unread),
		fileio.Check(checkContent, covered, a.right, wrong),
	}
	a.sum.Instance = instance
	return a.sum
}

// The names of the checks.
const (
	checkCovered  = "a worker accounts for every block"
	checkOnce     = "blocks that two workers account for"
	checkReadable = "every block can be read"
	checkContent  = "every block holds the last write that was acknowledged there"
)
