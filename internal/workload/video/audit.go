package video

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"plimsoll/internal/describe"
	"plimsoll/internal/host/aio"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// Audit reads every frame of every stream: each that was acknowledged must be there once,
// in its place and whole, and no other.
func (Workload) Audit(ctx context.Context, t workload.Target, p workload.Parameters, _ uint64, receipts workload.Receipts) (result describe.Audit, err error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return result, err
	}
	err = fileio.OnPrepared(t, own.owner(t.Instance), func(root *fileio.Root, volume uint64) error {
		a := audit{p: own, root: root, known: claims{p: own, volume: volume, streams: make([][]state, max(1, t.Users))}}
		if err := receipts.Each(a.known.add); err != nil {
			return err
		}
		err := aio.WithBuffer(int(own.frame()), func(buffer []byte) error {
			a.buffer = buffer
			return a.read(ctx)
		})
		if err == nil {
			result = a.result(t.Instance)
		}
		return err
	})
	return result, err
}

// audit is one instance while it is audited.
type audit struct {
	p      *Parameters
	root   *fileio.Root
	known  claims
	buffer []byte
	sum    describe.Audit

	history, kept int64 // frames of the history, and how many of them are as they were
	strange       int64 // frames and files that nobody acknowledged
	wrong, spoilt fileio.Examples
	others        fileio.Examples
}

func (a *audit) read(ctx context.Context) error {
	for user := range a.known.streams {
		if err := a.stream(ctx, recording{a.p, a.known.volume, user}); err != nil {
			return err
		}
	}
	return nil
}

// stream reads all segments of one.
func (a *audit) stream(ctx context.Context, r recording) error {
	dir, err := a.root.Dir(fileio.DirOf(top, r.user))
	if err != nil {
		a.missing(r, 0, a.known.end(r.user), err)
		return nil
	}
	end, n := a.known.end(r.user), a.p.segmentFrames()
	for first := int64(0); first < end && err == nil; first += n {
		err = a.segment(ctx, r, dir, first, min(first+n, end))
	}
	a.beyond(r, dir, (end+n-1)/n)
	return errors.Join(err, dir.Close())
}

// segment reads one file, which holds the frames from first to before end.
func (a *audit) segment(ctx context.Context, r recording, dir *fileio.Dir, first, end int64) error {
	name, _ := a.p.place(first)
	f, err := dir.Open(name, fileio.OpenMode{Direct: a.p.IO == direct})
	if err != nil {
		a.missing(r, first, end, err)
		return nil
	}
	for frame := first; frame < end; frame++ {
		if err := ctx.Err(); err != nil {
			return errors.Join(err, f.Close())
		}
		a.frame(r, f, frame)
	}
	if size, err := f.Size(); err == nil && size > (end-first)*a.p.frame() {
		extra := (size-1)/a.p.frame() + 1 - (end - first)
		a.strange += extra
		a.others.Add("%s: %d frames from number %d on", f.Path(), extra, end)
	}
	return f.Close()
}

// frame reads one.
func (a *audit) frame(r recording, f *fileio.File, frame int64) {
	_, offset := a.p.place(frame)
	err := f.Read(a.buffer, offset)
	if err == nil {
		err = r.check(a.buffer, frame, 0)
	}
	a.count(r, frame, err)
}

// missing counts frames that cannot be looked at.
func (a *audit) missing(r recording, first, end int64, why error) {
	for frame := first; frame < end; frame++ {
		a.count(r, frame, why)
	}
}

// count counts a frame by its fault, if it has one.
func (a *audit) count(r recording, frame int64, wrong error) {
	switch what := a.known.of(r.user, frame); {
	case frame < a.p.historyFrames():
		a.history++
		if wrong == nil {
			a.kept++
		} else {
			a.spoilt.Add("frame %d of stream %d: %v", frame, r.user, wrong)
		}
	case what == inDoubt:
		a.sum.Doubtful++
	case what == unknown:
		a.strange++
		a.others.Add("frame %d of stream %d: no receipt, but there are some of later frames", frame, r.user)
	case wrong == nil:
		a.sum.Acknowledged++
		a.sum.Present++
	default:
		a.sum.Acknowledged++
		a.wrong.Add("frame %d of stream %d: %v", frame, r.user, wrong)
	}
}

// beyond looks for files that no stream has made: there should be so many segments.
func (a *audit) beyond(r recording, dir *fileio.Dir, segments int64) {
	names, err := dir.Names()
	if err != nil {
		a.strange++
		a.others.Add("%v", err)
	}
	slices.Sort(names)
	for _, name := range names {
		if n, err := strconv.ParseInt(name, 10, 64); err != nil || n >= segments || strconv.FormatInt(n, 10) != name {
			a.strange++
			a.others.Add("%s/%s is no file of the stream's", fileio.DirOf(top, r.user), name)
		}
	}
}

func (a *audit) result(instance int) describe.Audit {
	a.sum.Instance = instance
	a.sum.Checks = []describe.Check{
		fileio.Check(checkPresent, a.sum.Acknowledged, a.sum.Present, a.wrong),
		fileio.Check(checkOnce, 0, a.known.twice, nil),
		fileio.Check(checkNoOther, 0, a.strange, a.others),
		fileio.Check(checkHistory, a.history, a.kept, a.spoilt),
	}
	return a.sum
}

// The names of the checks.
const (
	checkPresent = "every frame that was acknowledged is there, whole"
	checkOnce    = "frames that were acknowledged twice"
	checkNoOther = "frames and files that nobody acknowledged"
	checkHistory = "what was recorded before the trial is as it was"
)
