package blockio

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"plimsoll/internal/aio"
	"plimsoll/internal/stamp"
	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// fileName is what I/Os go to in a directory, and fillName what takes up the
// rest of the space that is to be occupied.
const (
	fileName = "blockio.data"
	fillName = "blockio.fill"
)

// volumeRole is the only role: a volume without a server.
const volumeRole = "volume"

// volume is an open file or device that I/Os go to.
type volume struct {
	file   *os.File
	path   string
	blocks int64  // of Parameters.unit bytes that I/Os may go to
	id     uint64 // that stamps carry
}

// pathOf is the file or device of an endpoint.
func pathOf(e workload.Endpoint) string {
	if e.Kind == workload.Device {
		return e.Path
	}
	return filepath.Join(e.Path, fileName)
}

// openVolume opens what Prepare has written.
func openVolume(t workload.Target, p *Parameters) (*volume, error) {
	path := pathOf(t.Endpoint(volumeRole))
	f, err := openFile(path, os.O_RDWR, p.Mode == modeDirect)
	if err != nil {
		return nil, err
	}
	v := &volume{file: f, path: path}
	v.blocks, err = blocksOf(f, p)
	if err == nil && p.Verify {
		v.id, err = identityOf(f, p.unit())
	}
	if err == nil && p.Verify && v.id%mostInstances != uint64(t.Instance)%mostInstances {
		err = fmt.Errorf("%s was prepared for instance %d, not %d", path, v.id%mostInstances, t.Instance)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return v, nil
}

// identityOf reads from the first block for which volume it was stamped.
func identityOf(f *os.File, unit int64) (uint64, error) {
	block, err := aio.Buffer(int(unit))
	if err != nil {
		return 0, err
	}
	defer aio.Free(block)
	if _, err := f.ReadAt(block, 0); err != nil {
		return 0, fmt.Errorf("read the first block: %w", err)
	}
	s, valid := stamp.Read(block)
	if !valid || s.Offset != 0 {
		return 0, fmt.Errorf("%s does not begin with a block of %d bytes that this workload wrote: it was not prepared with these parameters, or somebody else wrote to it", f.Name(), unit)
	}
	return s.Volume, nil
}

func openFile(path string, flags int, direct bool) (*os.File, error) {
	if direct {
		flags |= unix.O_DIRECT
	}
	f, err := os.OpenFile(path, flags|unix.O_CLOEXEC, 0o600)
	if direct && errors.Is(err, unix.EINVAL) {
		return nil, fmt.Errorf("open the volume: the file system of %s has no direct I/O; set workload.parameters.mode to buffered", path)
	}
	if err != nil {
		return nil, fmt.Errorf("open the volume: %w", err)
	}
	return f, nil
}

// blocksOf is how many blocks I/Os may go to; it refuses a file or device that
// is too small, or whose blocks are larger than those asked for.
func blocksOf(f *os.File, p *Parameters) (int64, error) {
	has, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, fmt.Errorf("ask for the size of %s: %w", f.Name(), err)
	}
	want := int64(p.Size)
	if want == 0 {
		want = has
	}
	want = want / p.unit() * p.unit()
	if has < want || has < p.Block.largest() {
		return 0, fmt.Errorf("%s is too small: it has %s, and I/Os are to go to %s", f.Name(), study.Bytes(has), study.Bytes(max(want, p.Block.largest())))
	}
	if p.Mode == modeDirect {
		if align := directAlignment(f); p.unit()%align != 0 {
			return 0, fmt.Errorf("%s takes direct I/O in multiples of %d bytes only: block and alignment must be such multiples", f.Name(), align)
		}
	}
	return want / p.unit(), nil
}

// directAlignment is what direct I/O begins and ends at multiples of; 1 where
// the kernel (before 6.1) does not say.
func directAlignment(f *os.File) int64 {
	var s unix.Statx_t
	if unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_DIOALIGN, &s) != nil || s.Dio_offset_align == 0 {
		return 1
	}
	return int64(s.Dio_offset_align)
}

// mostInstances is how many instances identities tell apart.
const mostInstances = 1 << 16

// newIdentity makes what the stamps of an instance's volume carry: random, so
// that what an earlier run left is not taken for this one's, and the instance,
// so that volumes that were exchanged show.
func newIdentity(instance int) uint64 {
	return rand.Uint64()/mostInstances*mostInstances + uint64(instance)%mostInstances
}
