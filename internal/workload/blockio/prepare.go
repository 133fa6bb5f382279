package blockio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/aio"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/host/mounts"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// Prepare writes every block once, so that no I/O meets a hole or a block that
// a drive knows to be empty, and fills the space that the parameter occupied
// asks for.
func (Workload) Prepare(ctx context.Context, t workload.Target, p workload.Parameters, _ uint64, progress func(float64)) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return err
	}
	e := t.Endpoint(volumeRole)
	at, err := endpoint.As[endpoint.Volume](e)
	if err != nil {
		return fmt.Errorf("prepare the volume: %w", err)
	}
	if e.Kind == endpoint.Device {
		return prepareDevice(ctx, at.Path, own, fileio.NewIdentity(t.Instance), progress)
	}
	return prepareDirectory(ctx, at.Path, own, fileio.NewIdentity(t.Instance), progress)
}

func prepareDevice(ctx context.Context, device string, p *Parameters, id uint64, progress func(float64)) (err error) {
	f, err := openFile(device, os.O_RDWR, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	blocks, err := blocksOf(f, p)
	if err != nil {
		return err
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	used := blocks * p.unit()
	occupied := max(used, int64(p.Occupied/100*float64(size)))
	l := layout{unit: p.unit(), direct: true, id: id, progress: progress, total: occupied}
	return l.write(ctx, f, max(used, occupied/p.unit()*p.unit()))
}

// prepareDirectory makes the files, which must not exist, and removes them when
// it fails.
func prepareDirectory(ctx context.Context, dir string, p *Parameters, id uint64, progress func(float64)) (err error) {
	inside, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("prepare the volume: %w", err)
	}
	for _, entry := range inside {
		if entry.Name() == fileName || entry.Name() == fillName {
			return fmt.Errorf("prepare the volume: %s exists, but the volume must be empty", filepath.Join(dir, entry.Name()))
		}
	}
	if p.Size == 0 {
		return errors.New("prepare the volume: size 0 means all of a device; in a directory give workload.parameters.size")
	}
	space, err := mounts.SpaceOf(dir)
	if err != nil {
		return err
	}
	size := int64(p.Size) / p.unit() * p.unit()
	fill := max(0, int64(p.Occupied/100*float64(space.Capacity))-(space.Capacity-space.Free)-size)
	if size+fill > space.Free {
		return fmt.Errorf("prepare the volume: %w", mounts.NameFull(unix.ENOSPC, filepath.Join(dir, fileName)))
	}
	l := layout{unit: p.unit(), direct: p.Mode == modeDirect, id: id, progress: progress, total: size + fill}
	defer func() {
		if err != nil {
			err = errors.Join(err, remove(filepath.Join(dir, fileName)), remove(filepath.Join(dir, fillName)))
		}
	}()
	if err := l.file(ctx, filepath.Join(dir, fileName), size); err != nil {
		return err
	}
	// The file system's own structures grow, too: a little is left to them.
	l.id = ^id // the rest is no part of the volume
	return l.file(ctx, filepath.Join(dir, fillName), int64(float64(fill)*0.99)/l.unit*l.unit)
}

func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// layout is a volume while it is written for the first time.
type layout struct {
	unit        int64
	direct      bool
	id          uint64
	progress    func(float64)
	done, total int64 // bytes
}

// file writes a new file.
func (l *layout) file(ctx context.Context, path string, size int64) (err error) {
	if size <= 0 {
		return nil
	}
	f, err := openFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, l.direct)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	// Space in one piece, where the file system can give it.
	if err := unix.Fallocate(int(f.Fd()), 0, 0, size); err != nil && !errors.Is(err, unix.EOPNOTSUPP) && !errors.Is(err, unix.ENOSYS) {
		return fmt.Errorf("allocate %d bytes: %w", size, mounts.NameFull(err, path))
	}
	return l.write(ctx, f, size)
}

// write fills the first bytes of a file with stamped blocks and flushes them.
func (l *layout) write(ctx context.Context, f *os.File, size int64) error {
	random := make([]byte, chunkOf(l.unit))
	blockcheck.Random(random, l.id)
	s := sweep{
		file: int(f.Fd()), name: f.Name(), kind: aio.Write, chunk: chunkOf(l.unit), to: size,
		visit: func(chunk []byte, offset int64, _ error) error {
			copy(chunk, random)
			for at := int64(0); at < int64(len(chunk)); at += l.unit {
				blockcheck.Stamp{Volume: l.id, Offset: offset + at, Generation: loaded}.Write(chunk[at : at+l.unit])
			}
			return nil
		},
		progress: func(share float64) { l.progress((float64(l.done) + share*float64(size)) / float64(l.total)) },
	}
	if err := s.run(ctx); err != nil {
		return err
	}
	l.done += size
	if err := f.Sync(); err != nil {
		return fmt.Errorf("flush %s: %w", f.Name(), err)
	}
	return nil
}
