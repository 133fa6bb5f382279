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
	users := max(1, t.Users)
	return fileio.Prepare(t, own.owner(t.Instance), top, int64(users)*own.userBytes(), func(root *fileio.Root, volume uint64) error {
		return aio.WithBuffer(int(own.BlockSize), func(buffer []byte) error {
			l := layout{p: own, root: root, users: users, volume: volume, buffer: buffer, progress: progress}
			blockcheck.Random(buffer, seed)
			return l.write(ctx)
		})
	})
}

// layout is a volume while it is prepared.
type layout struct {
	p        *Parameters
	root     *fileio.Root
	users    int
	volume   uint64
	buffer   []byte
	progress func(float64)
	done     int64 // blocks
}

func (l *layout) write(ctx context.Context) error {
	if err := l.root.Make(top); err != nil {
		return err
	}
	for user := range l.users {
		if err := l.user(ctx, user); err != nil {
			return err
		}
	}
	l.progress(1)
	return l.root.Sync()
}

// user makes the directory of a worker.
func (l *layout) user(ctx context.Context, user int) (err error) {
	if err := errors.Join(ctx.Err(), l.root.Make(dirOf(user))); err != nil {
		return err
	}
	dir, err := l.root.Dir(dirOf(user))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	if user == 0 {
		if err := l.try(dir); err != nil {
			return err
		}
	}
	if l.p.Operation == write {
		return nil
	}
	for file := range l.p.Files {
		if err := l.file(ctx, dir, user, file); err != nil {
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
func (l *layout) try(dir *fileio.Dir) error {
	const name = "try"
	f, err := dir.Open(name, l.how())
	if err != nil {
		return err
	}
	if l.p.IO == direct {
		_, last := l.p.span(l.p.blocks() - 1)
		err = errors.Join(f.CheckDirect(int64(l.p.BlockSize)), f.CheckDirect(last))
	}
	return errors.Join(err, f.Close(), dir.Remove(name))
}

// file writes a file for the first time.
func (l *layout) file(ctx context.Context, dir *fileio.Dir, user, file int) (err error) {
	f, err := dir.Open(strconv.Itoa(file), l.how())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	content := fileio.Content{Volume: l.volume, File: l.p.number(user, file), Generation: loaded(0).generation}
	total := float64(l.p.blocks()) * float64(l.p.Files) * float64(l.users)
	for block := range l.p.blocks() {
		if err := ctx.Err(); err != nil {
			return err
		}
		offset, length := l.p.span(block)
		content.Fill(l.buffer[:length], offset)
		if err := f.Write(l.buffer[:length], offset); err != nil {
			return err
		}
		l.done++
		l.progress(float64(l.done) / total)
	}
	return f.Flush()
}
