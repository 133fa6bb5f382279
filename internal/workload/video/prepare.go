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
	return aio.WithBuffer(int(own.frame()), func(buffer []byte) error {
		return fileio.PrepareUsers(ctx, t, own.owner(t.Instance), top, own.historyFrames()*own.frame(), progress, func(at fileio.Home, user int, done func(float64)) error {
			blockcheck.Random(buffer, at.Volume)
			h := history{recording{p: own, volume: at.Volume, user: user}, at.Dir, buffer, done}
			for first := int64(0); first < own.historyFrames(); first += own.segmentFrames() {
				if err := h.segment(ctx, first); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// history records the frames of a stream that exist before a trial.
type history struct {
	recording
	dir      *fileio.Dir
	buffer   []byte
	progress func(float64)
}

// segment records one file from a frame on.
func (h *history) segment(ctx context.Context, first int64) (err error) {
	name, _ := h.p.place(first)
	f, err := h.dir.Open(name, fileio.OpenMode{Create: true, Direct: h.p.IO == direct})
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
		h.fill(h.buffer, frame)
		if err := f.Write(h.buffer, offset); err != nil {
			return err
		}
		h.progress(float64(frame+1) / float64(h.p.historyFrames()))
	}
	return f.Flush()
}
