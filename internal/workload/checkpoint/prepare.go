package checkpoint

import (
	"context"
	"errors"

	"plimsoll/internal/host/aio"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// Prepare saves the checkpoint that each job begins with, number 0.
func (Workload) Prepare(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64, progress func(float64)) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return err
	}
	jobs := max(1, t.Users)
	return fileio.Prepare(t, own.owner(t.Instance), top, int64(jobs)*own.space(), func(root *fileio.Root, volume uint64) error {
		return aio.WithBuffer(own.ranks()*int(own.WriteSize), func(buffers []byte) error {
			blockcheck.Random(buffers, seed)
			if err := root.Make(top); err != nil {
				return err
			}
			for user := range jobs {
				if err := first(ctx, root, store{p: own, volume: volume, user: user}, buffers); err != nil {
					return err
				}
				progress(float64(user+1) / float64(jobs))
			}
			return root.Sync()
		})
	})
}

// first saves the checkpoint that a job begins with.
func first(ctx context.Context, root *fileio.Root, s store, buffers []byte) (err error) {
	if err := errors.Join(ctx.Err(), root.Make(dirOf(s.user))); err != nil {
		return err
	}
	if s.dir, err = root.Dir(dirOf(s.user)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.dir.Close()) }()
	_, err = s.each(ctx, buffers, func(ctx context.Context, rank int, buffer []byte) (rankTiming, error) {
		return s.write(ctx, 0, rank, buffer)
	})
	if err == nil {
		err = s.prepareMark(0)
	}
	if err == nil {
		err = s.commit(0)
	}
	return err
}
