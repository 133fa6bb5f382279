package training

import (
	"context"
	"errors"
	"io"

	"plimsoll/internal/client/s3wire"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/objectio"
)

// source is where a reader has files of samples from, one at a time.
type source interface {
	// prepared fails where the samples were not prepared.
	prepared(ctx context.Context) error
	// open opens a file at its start, and returns the volume that its stamps must name.
	open(ctx context.Context, file int64) (content io.Reader, volume uint64, err error)
	// close ends the reading of a file whose samples were all read.
	close() error
	// leave lets go of everything, for the next file to be opened anew: storage that came back
	// may not know the old descriptors, and the volume may have been mounted again.
	leave() error
}

// source returns the source of the reader with a number.
func (p *Parameters) source(t workload.Target, number int) source {
	if p.Source == inBucket {
		return &objects{target: t, owner: p.owner(), number: number, ranges: p.Ranges}
	}
	return &files{Home: fileio.Home{Target: t, Owner: p.owner(), Path: top}, direct: p.IO == direct}
}

// files reads samples from the files of a volume.
type files struct {
	fileio.Home // whose directory is nil after an error
	direct      bool

	file *fileio.File
	at   int64 // in the file
}

func (f *files) prepared(context.Context) error {
	if f.Dir == nil {
		return f.Enter()
	}
	return nil
}

func (f *files) open(ctx context.Context, file int64) (content io.Reader, volume uint64, err error) {
	if err := f.prepared(ctx); err != nil {
		return nil, 0, err
	}
	f.at = 0
	f.file, err = f.Dir.Open(nameOf(file), fileio.OpenMode{Direct: f.direct})
	return f, f.Volume, err
}

// Read implements io.Reader.
func (f *files) Read(p []byte) (int, error) {
	if err := f.file.Read(p, f.at); err != nil {
		return 0, err
	}
	f.at += int64(len(p))
	return len(p), nil
}

func (f *files) close() (err error) {
	if f.file != nil {
		err = f.file.Close()
		f.file = nil
	}
	return err
}

func (f *files) leave() error {
	err := errors.Join(f.close(), f.Leave())
	f.Dir = nil
	return err
}

// objects reads samples from the objects of a bucket. It requests each object as a whole,
// or in ranges as it is read.
type objects struct {
	target workload.Target
	owner  fileio.Owner
	number int // of the gateway
	ranges bool

	volume uint64
	conn   *s3wire.Conn // nil after an error
	body   io.Reader    // of a whole object
	ctx    context.Context
	key    string
	at     int64 // in the object
}

func (o *objects) prepared(ctx context.Context) error {
	if o.conn != nil {
		return nil
	}
	s, err := objectio.Reach(o.target, o.number)
	if err != nil {
		return err
	}
	conn, err := s.Connect(o.number)
	if err != nil {
		return err
	}
	if o.volume, err = s.Identify(ctx, conn, o.owner); err != nil {
		return errors.Join(err, conn.Close())
	}
	o.conn = conn
	return nil
}

func (o *objects) open(ctx context.Context, file int64) (content io.Reader, volume uint64, err error) {
	if err := o.prepared(ctx); err != nil {
		return nil, 0, err
	}
	o.ctx, o.key, o.at = ctx, keyOf(file), 0
	if !o.ranges {
		o.body, err = o.conn.Get(ctx, o.key, 0, 0)
	}
	return o, o.volume, objectio.Classify(err)
}

// Read implements io.Reader.
func (o *objects) Read(p []byte) (n int, err error) {
	if o.ranges {
		n, err = o.next(p)
	} else {
		n, err = o.body.Read(p)
	}
	if errors.Is(err, io.EOF) {
		return n, err
	}
	return n, objectio.Classify(err)
}

// next asks for the next bytes of the object.
func (o *objects) next(p []byte) (int, error) {
	body, err := o.conn.Get(o.ctx, o.key, o.at, o.at+int64(len(p)))
	if err != nil {
		return 0, err
	}
	n, err := io.ReadFull(body, p)
	o.at += int64(n)
	return n, err
}

// close reads the rest of an object, because the connection would be lost otherwise.
func (o *objects) close() (err error) {
	if o.body != nil {
		_, err = io.Copy(io.Discard, o.body)
		o.body = nil
	}
	return objectio.Classify(err)
}

func (o *objects) leave() (err error) {
	o.body = nil
	if o.conn != nil {
		err = o.conn.Close()
		o.conn = nil
	}
	return err
}
