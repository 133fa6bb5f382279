package training

import (
	"context"
	"errors"

	"plimsoll/internal/host/aio"
	"plimsoll/internal/stamp"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// Prepare writes all samples, which are on the medium when it ends.
func (Workload) Prepare(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64, progress func(float64)) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return err
	}
	d := own.data()
	return fileio.Prepare(t, own.owner(), top, d.samples*d.mean, func(root *fileio.Root, volume uint64) error {
		return aio.WithBuffer(int(own.BlockSize), func(buffer []byte) error {
			stamp.Random(buffer, seed)
			w := writing{data: d, root: root, volume: volume, buffer: buffer, how: fileio.How{Create: true, Direct: own.IO == direct}, progress: progress}
			return w.all(ctx)
		})
	})
}

// writing is a data set in the making.
type writing struct {
	data
	root     *fileio.Root
	volume   uint64
	buffer   []byte
	how      fileio.How
	progress func(float64)
}

func (w *writing) all(ctx context.Context) (err error) {
	if err := w.root.Make(top); err != nil {
		return err
	}
	dir, err := w.root.Dir(top)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	for file := range w.files() {
		if err := w.file(ctx, dir, file); err != nil {
			return err
		}
	}
	w.progress(1)
	return w.root.Sync()
}

func (w *writing) file(ctx context.Context, dir *fileio.Dir, number int64) (err error) {
	f, err := dir.Open(nameOf(number), w.how)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	first, end := w.within(number)
	at := int64(0)
	for sample := first; sample < end; sample++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		size := w.sizeOf(sample)
		err := fileio.Pieces(w.buffer, 0, size, func(buffer []byte, offset int64) error {
			contentOf(w.volume, sample).Fill(buffer, offset)
			return f.Write(buffer, at+offset)
		})
		if err != nil {
			return err
		}
		at += size
		w.progress(float64(sample+1) / float64(w.samples))
	}
	return nil
}

// contentOf is what a sample consists of: blocks that say which sample they are of, and where
// in it.
func contentOf(volume uint64, sample int64) fileio.Content {
	return fileio.Content{Volume: volume, File: uint64(sample) + 1, Generation: 1}
}
