package training

import (
	"context"
	"errors"
	"time"

	"plimsoll/internal/host/aio"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// reader loads one batch after the other for an accelerator, as many ahead as it may.
type reader struct {
	data
	target workload.Target
	owner  fileio.Owner
	direct bool
	made   bool // samples are made in memory
	batch  int
	place  int64 // in the order of files, of the next
	step   int64 // from there to the one after it: how many readers there are
	ready  chan batch

	volume uint64      // whose samples they are
	dir    *fileio.Dir // nil after an error
	file   *fileio.File
	sample int64 // the next
	end    int64 // of the file's samples
	offset int64 // of the next sample in the file
	buffer []byte
}

// batch is what a reader has loaded. The samples are verified and let go.
type batch struct {
	loaded time.Time
	bytes  int64
	reads  []read
	err    error // of the last read
}

// read is that of one sample.
type read struct {
	begun time.Time
	took  time.Duration
}

// run loads batches until the context ends, and then gives the buffer back.
func (r *reader) run(ctx context.Context) error {
	for ctx.Err() == nil {
		select {
		case r.ready <- r.load(ctx):
		case <-ctx.Done():
		}
	}
	return errors.Join(r.leave(), aio.Free(r.buffer))
}

// load reads the samples of a batch, up to one that cannot be read.
func (r *reader) load(ctx context.Context) (b batch) {
	b.reads = make([]read, 0, r.batch)
	for len(b.reads) < r.batch && b.err == nil && ctx.Err() == nil {
		begun := workload.Now()
		var size int64
		size, b.err = r.next()
		b.bytes += size
		b.loaded = workload.Now()
		b.reads = append(b.reads, read{begun, b.loaded.Sub(begun)})
	}
	if b.err != nil {
		b.err = errors.Join(b.err, r.leave())
	}
	return b
}

// next reads and verifies a sample, and gives its size in bytes.
func (r *reader) next() (size int64, err error) {
	if r.sample == r.end {
		if err := r.open(); err != nil {
			return 0, err
		}
	}
	size = r.sizeOf(r.sample)
	content := contentOf(r.volume, r.sample)
	err = fileio.Pieces(r.buffer, 0, size, func(buffer []byte, offset int64) error {
		if r.made {
			content.Fill(buffer, offset)
		} else if err := r.file.Read(buffer, r.offset+offset); err != nil {
			return err
		}
		return content.Check(buffer, offset)
	})
	if err != nil {
		return 0, err
	}
	r.sample, r.offset = r.sample+1, r.offset+size
	if r.sample == r.end {
		err = r.close()
	}
	return size, err
}

// open goes to the next file.
func (r *reader) open() (err error) {
	number := r.fileAt(r.place)
	r.place += r.step
	if r.made {
		r.sample, r.end = r.within(number)
		return nil
	}
	if r.dir == nil {
		if r.volume, r.dir, err = fileio.OpenPrepared(r.target, r.owner, top); err != nil {
			return err
		}
	}
	if r.file, err = r.dir.Open(nameOf(number), fileio.How{Direct: r.direct}); err != nil {
		return err
	}
	r.offset = 0
	r.sample, r.end = r.within(number)
	return nil
}

func (r *reader) close() (err error) {
	if r.file != nil {
		err = r.file.Close()
		r.file = nil
	}
	return err
}

// leave closes everything, for the next sample to open it anew: storage that came back may not
// know the old descriptors, and the volume may have been mounted again.
func (r *reader) leave() (err error) {
	err = r.close()
	r.sample = r.end
	if r.dir != nil {
		err = errors.Join(err, r.dir.Close())
		r.dir = nil
	}
	return err
}
