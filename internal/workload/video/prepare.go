package video

import (
	"context"
	"errors"

	"plimsoll/internal/host/aio"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// Prepare records the history of every stream.
func (Workload) Prepare(ctx context.Context, t workload.Target, p workload.Parameters, _ uint64, progress func(float64)) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return err
	}
	h := history{p: own, streams: max(1, t.Users), progress: progress}
	return fileio.Prepare(t, own.owner(t.Instance), top, h.total()*own.frame(), func(root *fileio.Root, volume uint64) error {
		return aio.WithBuffer(int(own.frame()), func(buffer []byte) error {
			h.root, h.volume, h.buffer = root, volume, buffer
			blockcheck.Random(buffer, volume)
			return h.record(ctx)
		})
	})
}

// history records the frames that exist before a trial.
type history struct {
	p        *Parameters
	root     *fileio.Root
	streams  int
	progress func(float64)

	volume uint64
	buffer []byte
	done   int64 // frames
}

// record makes everything.
func (h *history) record(ctx context.Context) error {
	if err := h.root.Make(top); err != nil {
		return err
	}
	for user := range h.streams {
		if err := h.stream(ctx, user); err != nil {
			return err
		}
	}
	h.progress(1)
	return h.root.Sync()
}

func (h *history) total() int64 { return int64(h.streams) * h.p.historyFrames() }

// stream records the history of one stream.
func (h *history) stream(ctx context.Context, user int) (err error) {
	if err := errors.Join(ctx.Err(), h.root.Make(dirOf(user))); err != nil {
		return err
	}
	dir, err := h.root.Dir(dirOf(user))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	r := recording{p: h.p, volume: h.volume, user: user}
	for first := int64(0); first < h.p.historyFrames(); first += h.p.segmentFrames() {
		if err := h.segment(ctx, r, dir, first); err != nil {
			return err
		}
	}
	return nil
}

// segment records one file of a stream from a frame on.
func (h *history) segment(ctx context.Context, r recording, dir *fileio.Dir, first int64) (err error) {
	name, _ := h.p.place(first)
	f, err := dir.Open(name, fileio.OpenMode{Create: true, Direct: h.p.IO == direct})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	last := min(first+h.p.segmentFrames(), h.p.historyFrames())
	for frame := first; frame < last; frame++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, offset := h.p.place(frame)
		r.fill(h.buffer, frame)
		if err := f.Write(h.buffer, offset); err != nil {
			return err
		}
		h.done++
		h.progress(float64(h.done) / float64(h.total()))
	}
	return f.Flush()
}
