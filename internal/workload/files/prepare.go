package files

import (
	"context"
	"errors"
	"strconv"

	"plimsoll/internal/host/aio"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// Prepare makes a directory for each worker and, unless workers write new files
// themselves, the files in it, which are on the medium when it ends. It removes
// everything when it fails.
func (Workload) Prepare(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64, progress func(float64)) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return err
	}
	return aio.WithBuffer(int(own.BlockSize), func(buffer []byte) error {
		blockcheck.Random(buffer, seed)
		return fileio.PrepareUsers(ctx, t, own.owner(t.Instance), top, own.userBytes(), progress, func(at fileio.Home, user int, done func(float64)) error {
			l := layout{Home: at, p: own, user: user, buffer: buffer, progress: done}
			return l.write(ctx)
		})
	})
}

// layout is the directory of a worker while it is prepared.
type layout struct {
	fileio.Home
	p        *Parameters
	user     int
	buffer   []byte
	progress func(float64)
}

func (l *layout) write(ctx context.Context) error {
	if l.user == 0 {
		if err := l.try(); err != nil {
			return err
		}
	}
	if l.p.Operation == write {
		return nil
	}
	for file := range l.p.Files {
		if err := l.file(ctx, file); err != nil {
			return err
		}
	}
	return nil
}

// how is the way to make files.
func (l *layout) how() fileio.OpenMode {
	return fileio.OpenMode{Create: true, Direct: l.p.IO == direct}
}

// try makes sure that the volume takes I/O of these sizes, before workers do.
func (l *layout) try() error {
	const name = "try"
	f, err := l.Dir.Open(name, l.how())
	if err != nil {
		return err
	}
	if l.p.IO == direct {
		_, last := l.p.span(l.p.blocks() - 1)
		err = errors.Join(f.CheckDirect(int64(l.p.BlockSize)), f.CheckDirect(last))
	}
	return errors.Join(err, f.Close(), l.Dir.Remove(name))
}

// file writes a file for the first time.
func (l *layout) file(ctx context.Context, file int) (err error) {
	f, err := l.Dir.Open(strconv.Itoa(file), l.how())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	content := fileio.Content{Volume: l.Volume, File: l.p.number(l.user, file), Generation: loaded(0).generation}
	for block := range l.p.blocks() {
		if err := ctx.Err(); err != nil {
			return err
		}
		offset, length := l.p.span(block)
		content.Fill(l.buffer[:length], offset)
		if err := f.Write(l.buffer[:length], offset); err != nil {
			return err
		}
		l.progress((float64(file) + float64(block+1)/float64(l.p.blocks())) / float64(l.p.Files))
	}
	return f.Flush()
}
