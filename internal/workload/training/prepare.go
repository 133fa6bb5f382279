package training

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/client/s3wire"
	"plimsoll/internal/host/aio"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/objectio"
)

// Prepare writes all samples. On a volume they are on the medium when it ends.
func (Workload) Prepare(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64, progress func(float64)) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return err
	}
	w := builder{data: own.data(), own: own, seed: seed, progress: progress}
	if own.Source == inBucket {
		err = w.intoBucket(ctx, t)
	} else {
		err = fileio.Prepare(t, own.owner(), top, w.samples*w.mean, func(root *fileio.Root, volume uint64) error {
			return w.ontoVolume(ctx, root, volume)
		})
	}
	if err == nil {
		progress(1)
	}
	return err
}

// builder writes a data set.
type builder struct {
	data
	own      *Parameters
	seed     uint64
	progress func(float64)
}

// contextWriter is a writer that fails after its context has ended.
type contextWriter struct {
	io.Writer
	ctx context.Context
}

// Write implements io.Writer.
func (c contextWriter) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.Writer.Write(p)
}

func (w *builder) ontoVolume(ctx context.Context, root *fileio.Root, volume uint64) (err error) {
	if err := root.Make(top); err != nil {
		return err
	}
	dir, err := root.Dir(top)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	bytes := int(w.own.BlockSize)
	err = aio.WithBuffer(bytes, func(buffer []byte) error {
		blockcheck.Random(buffer, w.seed)
		return aio.WithBuffer(bytes, func(blocks []byte) error {
			for file := range w.files() {
				if err := w.file(ctx, dir, volume, file, buffer, blocks); err != nil {
					return err
				}
				w.progress(float64(file) / float64(w.files()))
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	return root.Sync()
}

func (w *builder) file(ctx context.Context, dir *fileio.Dir, volume uint64, number int64, buffer, blocks []byte) (err error) {
	f, err := dir.Open(nameOf(number), fileio.OpenMode{Create: true, Direct: w.own.IO == direct})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	out := blockWriter{file: f, buffer: blocks}
	if err := w.write(contextWriter{&out, ctx}, volume, number, 0, w.bytesOf(number), buffer); err != nil {
		return err
	}
	return out.flush()
}

// blockWriter writes a file in whole blocks, as direct I/O requires, whatever the sizes of
// its input.
type blockWriter struct {
	file   *fileio.File
	buffer []byte
	filled int
	at     int64
}

// Write implements io.Writer.
func (b *blockWriter) Write(p []byte) (written int, err error) {
	for written < len(p) && err == nil {
		n := copy(b.buffer[b.filled:], p[written:])
		written, b.filled = written+n, b.filled+n
		if b.filled == len(b.buffer) {
			err = b.flush()
		}
	}
	return written, err
}

func (b *blockWriter) flush() error {
	err := b.file.Write(b.buffer[:b.filled], b.at)
	b.at, b.filled = b.at+int64(b.filled), 0
	return err
}

// preparers is how many objects are put at once.
const preparers = 8

// clearWithin bounds how long a failed load may take to remove the objects that it has put.
const clearWithin = time.Minute

func (w *builder) intoBucket(ctx context.Context, t workload.Target) error {
	s, err := objectio.Administer(t, 0)
	if err != nil {
		return err
	}
	volume, err := s.Claim(ctx, w.own.owner())
	if err != nil {
		return err
	}
	var next atomic.Int64
	g, working := errgroup.WithContext(ctx)
	for n := range preparers {
		g.Go(func() error {
			return s.Load(n, func(c *s3wire.Conn) error { return w.putAll(working, c, n, volume, &next) })
		})
	}
	if err := g.Wait(); err != nil {
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), clearWithin)
		defer stop()
		return errors.Join(err, s.Clear(ctx))
	}
	return nil
}

// putAll puts one object after another that nobody else puts. The first worker reports the
// progress of all.
func (w *builder) putAll(ctx context.Context, conn *s3wire.Conn, n int, volume uint64, next *atomic.Int64) error {
	buffer := make([]byte, w.own.BlockSize)
	blockcheck.Random(buffer, w.seed+uint64(n))
	for file := next.Add(1) - 1; file < w.files(); file = next.Add(1) - 1 {
		if err := bucket.Patiently(ctx, func() error { return w.put(ctx, conn, volume, file, buffer) }); err != nil {
			return objectio.Classify(err)
		}
		if n == 0 {
			w.progress(float64(file) / float64(w.files()))
		}
	}
	return nil
}

func (w *builder) put(ctx context.Context, conn *s3wire.Conn, volume uint64, file int64, buffer []byte) error {
	content, out := io.Pipe()
	made := make(chan struct{})
	go func() {
		defer close(made)
		_ = out.CloseWithError(w.write(out, volume, file, 0, w.bytesOf(file), buffer)) // who reads is told
	}()
	err := conn.Put(ctx, keyOf(file), content, w.bytesOf(file))
	_ = content.Close() // which ends the making
	<-made
	return err
}
