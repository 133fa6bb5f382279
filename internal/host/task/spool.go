package task

import (
	"context"
	"errors"
	"io"
	"os"
	"time"
)

// OpenSpool reads a file of frames from one with a number on, as it grows, until
// its writer has ended.
func OpenSpool(ctx context.Context, path string, from uint64, ended <-chan struct{}) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := Seek(f, from); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &growingFile{file: f, ctx: ctx, ended: ended}, nil
}

// growingFile reads a file that grows until its writer has ended.
type growingFile struct {
	file  *os.File // not embedded: io.Copy would find its WriteTo, which does not wait
	ctx   context.Context
	ended <-chan struct{}
}

// lookInterval is the pause between two looks whether something was added; tasks
// flush once a second.
const lookInterval = 100 * time.Millisecond

func (g *growingFile) Read(p []byte) (int, error) {
	for {
		last := isClosed(g.ended) // all its output is there
		n, err := g.file.Read(p)
		if n > 0 || err != io.EOF || last {
			return n, err
		}
		select {
		case <-g.ctx.Done():
			return 0, g.ctx.Err()
		case <-g.ended:
		case <-time.After(lookInterval):
		}
	}
}

func (g *growingFile) Close() error { return g.file.Close() }
