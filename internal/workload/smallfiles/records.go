package smallfiles

import (
	"encoding/binary"
	"fmt"

	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload/fileio"
)

// recordBytes is the most that one call reads or writes.
const recordBytes = 1 << 20

// records reads and writes the content of files, piece by piece.
type records struct {
	p      *Parameters
	buffer []byte // full of random bytes
}

func newRecords(p *Parameters, seed uint64) records {
	largest := p.bytes(false)
	if p.grows() {
		largest = max(largest, int64(p.AppendSize))
	}
	r := records{p, make([]byte, min(recordBytes, largest))}
	blockcheck.Random(r.buffer, seed)
	return r
}

// each visits a part of a file in pieces of the buffer.
func (r records) each(from, to int64, visit func(record []byte, offset int64) error) error {
	return fileio.Pieces(r.buffer, from, to, visit)
}

// write writes a part of a file.
func (r records) write(f *fileio.File, c fileio.Content, from, to int64) error {
	return r.each(from, to, func(record []byte, offset int64) error {
		r.mark(c, record, offset)
		return f.Write(record, offset)
	})
}

// mark stamps a record before it is written. Without verification it still changes the
// first bytes, so that no two files are equal.
func (r records) mark(c fileio.Content, record []byte, offset int64) {
	switch {
	case r.p.Verify:
		c.Fill(record, offset)
	case len(record) >= 16:
		binary.LittleEndian.PutUint64(record, c.Volume^c.File)
		binary.LittleEndian.PutUint64(record[8:], uint64(offset)<<24|uint64(c.Generation))
	}
}

// verify reads a file and compares it with its expected state.
func (r records) verify(f *fileio.File, c fileio.Content, want file) error {
	c.Generation = want.content
	err := r.read(f, c, 0, r.p.bytes(false))
	if err != nil || want.appended == 0 {
		return err
	}
	c.Generation = want.appended
	return r.read(f, c, r.p.bytes(false), r.p.bytes(true))
}

// read reads a part of a file, all of it of one generation.
func (r records) read(f *fileio.File, c fileio.Content, from, to int64) error {
	return r.each(from, to, func(record []byte, offset int64) error {
		if err := f.Read(record, offset); err != nil || !r.p.Verify {
			return err
		}
		if err := c.Check(record, offset); err != nil {
			return fmt.Errorf("%s: %w", f.Path(), err)
		}
		return nil
	})
}
