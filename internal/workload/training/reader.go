package training

import (
	"context"
	"errors"
	"io"
	"time"

	"plimsoll/internal/host/aio"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// reader loads one batch after the other for an accelerator, as many ahead as it may.
type reader struct {
	data
	source source
	made   bool // samples are made in memory, where they would be read
	batch  int
	place  int64 // in the order of files, of the next
	step   int64 // from there to the one after it: how many readers there are
	ready  chan batch

	volume uint64 // whose samples they are
	from   io.Reader
	shard  *shard // that is from; nil where files are no shards
	sample int64  // the next
	end    int64  // of the file's samples
	buffer []byte
	blocks []byte // of a shard
}

// batch is what a reader has loaded. The samples are verified and let go.
type batch struct {
	loaded time.Time
	bytes  int64
	reads  []sampleTiming
	err    error // of the last read
}

// sampleTiming is the timing of the read of one sample.
type sampleTiming struct {
	begun time.Time
	took  time.Duration
}

// allocate gives the reader its buffers.
func (r *reader) allocate(bytes int) (err error) {
	if r.buffer, err = aio.Buffer(bytes); err == nil && r.tar {
		r.blocks, err = aio.Buffer(bytes)
	}
	return err
}

// free gives them back.
func (r *reader) free() (err error) {
	for _, b := range [][]byte{r.buffer, r.blocks} {
		if b != nil {
			err = errors.Join(err, aio.Free(b))
		}
	}
	return err
}

// run loads batches until the context ends, and then gives the buffers back.
func (r *reader) run(ctx context.Context) error {
	for ctx.Err() == nil {
		select {
		case r.ready <- r.load(ctx):
		case <-ctx.Done():
		}
	}
	return errors.Join(r.source.leave(), r.free())
}

// load reads the samples of a batch, up to one that cannot be read.
func (r *reader) load(ctx context.Context) (b batch) {
	b.reads = make([]sampleTiming, 0, r.batch)
	for len(b.reads) < r.batch && b.err == nil && ctx.Err() == nil {
		begun := workload.Now()
		var size int64
		size, b.err = r.next(ctx)
		b.bytes += size
		b.loaded = workload.Now()
		b.reads = append(b.reads, sampleTiming{begun, b.loaded.Sub(begun)})
	}
	if b.err != nil {
		r.sample = r.end
		b.err = errors.Join(b.err, r.source.leave())
	}
	return b
}

// next reads and verifies a sample, and gives its size in bytes.
func (r *reader) next(ctx context.Context) (size int64, err error) {
	if r.sample == r.end {
		if err := r.open(ctx); err != nil {
			return 0, err
		}
	}
	size = r.sizeOf(r.sample)
	if r.shard != nil {
		if err := r.shard.enter(r.sample, size); err != nil {
			return 0, err
		}
	}
	content := contentOf(r.volume, r.sample)
	err = fileio.Pieces(r.buffer, 0, size, func(buffer []byte, offset int64) error {
		if r.made {
			content.Fill(buffer, offset)
		} else if err := full(r.from, buffer); err != nil {
			return err
		}
		return content.Check(buffer, offset)
	})
	if err != nil {
		return 0, err
	}
	r.sample++
	if r.sample == r.end {
		err = r.source.close()
	}
	return size, err
}

// open goes to the next file.
func (r *reader) open(ctx context.Context) (err error) {
	number := r.fileAt(r.place)
	r.place += r.step
	if !r.made {
		if r.from, r.volume, err = r.source.open(ctx, number); err != nil {
			return err
		}
		if r.tar {
			r.shard = newShard(r.from, r.bytesOf(number), r.blocks)
			r.from = r.shard.tar
		}
	}
	r.sample, r.end = r.within(number)
	return nil
}

// begin gets the reader ready, and fails where there are no samples for it.
func (r *reader) begin(ctx context.Context, bytes int) error {
	if !r.made {
		if err := r.source.prepared(ctx); err != nil {
			return err
		}
	}
	if err := r.allocate(bytes); err != nil {
		return errors.Join(err, r.free(), r.source.leave())
	}
	return nil
}
