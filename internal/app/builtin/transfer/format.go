package transfer

import (
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"
)

// Formats of an item, at rest and on the way.
const (
	// Raw is a file of the item's size, with the item's holes. It is a format at rest only.
	Raw = "raw"
	// Packed is a list of the extents that have data, as sparse formats of virtual disks
	// have it.
	Packed = "packed"
	// Gzip and Zstd are the list, compressed.
	Gzip = "gzip"
	Zstd = "zstd"
)

// OnTheWay is the format in which an item stored in a format goes over a connection
// unchanged.
func OnTheWay(format string) string {
	if format == Raw {
		return Packed
	}
	return format
}

// The list begins with a magic and the size of the item, and has for each extent its offset
// and length before its data. It ends with an extent of no length at the size.
const (
	magic        = "plimimg1"
	headLength   = 16
	extentLength = 16
)

func head(size int64) []byte {
	return binary.BigEndian.AppendUint64([]byte(magic), uint64(size))
}

func extent(at, length int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(at)), uint64(length))
}

// listed writes the list of a file: only of its data, or with holes as the zeros that they
// read as.
func listed(from *os.File, size int64, holes bool, to io.Writer) error {
	if _, err := to.Write(head(size)); err != nil {
		return err
	}
	for at := int64(0); at < size; {
		begin, end := at, size
		if holes {
			begin, end = nextData(from, at, size)
		}
		if err := copied(from, begin, end, to); err != nil {
			return err
		}
		at = end
	}
	_, err := to.Write(extent(size, 0))
	return err
}

// copied writes the data of a file from one offset to another as an extent; none is nothing.
func copied(from *os.File, begin, end int64, to io.Writer) error {
	if begin >= end {
		return nil
	}
	if _, err := to.Write(extent(begin, end-begin)); err != nil {
		return err
	}
	n, err := io.Copy(to, io.NewSectionReader(from, begin, end-begin))
	if err == nil && n < end-begin {
		err = fmt.Errorf("%w: it has become shorter", ErrChanged)
	}
	return err
}

// nextData finds the next extent with data (lseek(2)). A file system that does not know its
// holes has one.
func nextData(f *os.File, at, size int64) (begin, end int64) {
	begin, err := unix.Seek(int(f.Fd()), at, unix.SEEK_DATA)
	if errors.Is(err, unix.ENXIO) {
		return size, size
	}
	if err != nil {
		return at, size
	}
	end, err = unix.Seek(int(f.Fd()), begin, unix.SEEK_HOLE)
	if err != nil {
		return begin, size
	}
	return min(begin, size), min(end, size)
}

// errList is a list of extents that is none.
var errList = errors.New("the list of extents is damaged")

// unpacker takes a list of extents in pieces of any length and hands its data on.
type unpacker struct {
	size  func(size int64) error
	data  func(at int64, b []byte) error
	mark  []byte // of the next extent, or the head, as much as there is
	begun bool
	total int64
	at    int64 // of the extent that comes
	left  int64 // of it
	ended bool
}

func (u *unpacker) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if u.left == 0 {
			rest, err := u.header(p)
			if err != nil {
				return 0, err
			}
			p = rest
			continue
		}
		took := min(u.left, int64(len(p)))
		if err := u.data(u.at, p[:took]); err != nil {
			return 0, err
		}
		u.at, u.left, p = u.at+took, u.left-took, p[took:]
	}
	return n, nil
}

// header consumes as much of a mark as p has.
func (u *unpacker) header(p []byte) ([]byte, error) {
	took := min(extentLength-len(u.mark), len(p))
	u.mark, p = append(u.mark, p[:took]...), p[took:]
	if len(u.mark) < extentLength {
		return p, nil
	}
	first, second := u.mark[:8], int64(binary.BigEndian.Uint64(u.mark[8:]))
	u.mark = u.mark[:0]
	switch {
	case u.ended:
		return nil, errList
	case !u.begun:
		u.begun, u.total = true, second
		if string(first) != magic || second < 0 {
			return nil, errList
		}
		return p, u.size(second)
	}
	at := int64(binary.BigEndian.Uint64(first))
	if at < u.at || second < 0 || at > u.total || second > u.total-at {
		return nil, errList
	}
	u.at, u.left, u.ended = at, second, second == 0
	return p, nil
}

// close makes sure that the list was whole.
func (u *unpacker) close() error {
	if !u.ended || len(u.mark) > 0 || u.at != u.total {
		return fmt.Errorf("%w: it ends before its end", errList)
	}
	return nil
}

// compressor compresses in one thread.
func compressor(format string, to io.Writer) (io.WriteCloser, error) {
	switch format {
	case Gzip:
		return gzip.NewWriter(to), nil
	case Zstd:
		return zstd.NewWriter(to, zstd.WithEncoderConcurrency(1))
	}
	return nil, fmt.Errorf("%q is no way to compress", format)
}

// decompressor takes it back, in one thread.
func decompressor(format string, from io.Reader) (io.Reader, func(), error) {
	switch format {
	case Gzip:
		r, err := gzip.NewReader(from)
		return r, func() {}, err
	case Zstd:
		r, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, nil, err
		}
		return r, r.Close, nil
	}
	return nil, nil, fmt.Errorf("%q is no way to compress", format)
}

// zeros are what holes read as.
var zeros = make([]byte, piece)

// pad adds n zeros to a hash.
func pad(to io.Writer, n int64) {
	for ; n > 0; n -= min(n, piece) {
		_, _ = to.Write(zeros[:min(n, piece)]) // a hash takes everything
	}
}
