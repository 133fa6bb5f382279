package blockio

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/aio"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// fileName is the file that I/Os go to in a directory; fillName is the file
// that fills the rest of the occupied space.
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
	ways   int    // flags for opening it
	blocks int64  // of Parameters.unit bytes that I/Os may go to
	id     uint64 // that stamps carry
}

// pathOf is the file or device of an endpoint.
func pathOf(e endpoint.Endpoint) (string, error) {
	v, err := endpoint.As[endpoint.Volume](e)
	if err != nil {
		return "", fmt.Errorf("open the volume: %w", err)
	}
	if e.Kind == endpoint.Device {
		return v.Path, nil
	}
	return filepath.Join(v.Path, fileName), nil
}

// ways returns the flags for opening it. In a directory it must not follow a link, which
// could lead out of the volume; a device may be named by one.
func ways(e endpoint.Endpoint) int {
	if e.Kind == endpoint.Device {
		return os.O_RDWR
	}
	return os.O_RDWR | unix.O_NOFOLLOW
}

// openVolume opens what Prepare has written.
func openVolume(t workload.Target, p *Parameters) (*volume, error) {
	e := t.Endpoint(volumeRole)
	path, err := pathOf(e)
	if err != nil {
		return nil, err
	}
	f, err := openFile(path, ways(e), p.Mode == modeDirect)
	if err != nil {
		return nil, err
	}
	v := &volume{file: f, path: path, ways: ways(e)}
	v.blocks, err = blocksOf(f, p)
	if err == nil && p.Verify {
		v.id, err = identityOf(f, p.unit())
	}
	if err == nil && p.Verify && fileio.InstanceOf(v.id) != fileio.InstanceOf(uint64(t.Instance)) {
		err = fmt.Errorf("%s was prepared for instance %d, not %d", path, fileio.InstanceOf(v.id), t.Instance)
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
	defer func() { _ = aio.Free(block) }() // it was only read
	if _, err := f.ReadAt(block, 0); err != nil {
		return 0, fmt.Errorf("read the first block: %w", err)
	}
	s, valid := blockcheck.Read(block)
	if !valid || s.Offset != 0 {
		return 0, fmt.Errorf("%s does not begin with a block of %d bytes that this workload wrote: it was not prepared with these parameters, or another program wrote to it", f.Name(), unit)
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
		return nil, fileio.Classify(fmt.Errorf("open the volume: %w", err))
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
	if has < want || has < p.Block.Largest() {
		return 0, fmt.Errorf("%s is too small: it has %s, and I/Os are to go to %s", f.Name(), unit.Bytes(has), unit.Bytes(max(want, p.Block.Largest())))
	}
	if p.Mode == modeDirect {
		if align := fileio.Alignment(int(f.Fd())); p.unit()%align != 0 {
			return 0, fmt.Errorf("%s takes direct I/O in multiples of %d bytes only: block and alignment must be such multiples", f.Name(), align)
		}
	}
	return want / p.unit(), nil
}
