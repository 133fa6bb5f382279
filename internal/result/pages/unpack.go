package pages

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// unpack unpacks a page that says how many bytes it unpacks to, and no more of it than that. The
// bytes are the page's until the next one.
func (b *buffers) unpack(codec format.CompressionCodec, packed []byte, says int64) ([]byte, error) {
	switch codec {
	case format.Uncompressed:
		return packed, nil
	case format.Snappy:
		n, err := snappy.DecodedLen(packed)
		if err == nil && int64(n) > says {
			err = tooLarge(says)
		}
		if err != nil {
			return nil, err
		}
		return snappy.Decode(nil, packed)
	case format.Gzip:
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, err
		}
		return b.atMost(r, says)
	case format.Brotli:
		return b.atMost(brotli.NewReader(bytes.NewReader(packed)), says)
	case format.Zstd:
		return b.unpackZstd(packed, says)
	}
	return nil, fmt.Errorf("a column is compressed by %v, which is not read; write it with zstd, snappy or gzip", codec)
}

func tooLarge(says int64) error {
	return fmt.Errorf("damaged file: a page of %d bytes unpacks to more", says)
}

// atMost reads all that there is, if that is so many bytes or fewer.
func (b *buffers) atMost(r io.Reader, most int64) ([]byte, error) {
	out := bytes.NewBuffer(b.unpacked[:0])
	_, err := out.ReadFrom(io.LimitReader(r, most+1))
	if err == nil && int64(out.Len()) > most {
		err = tooLarge(most)
	}
	b.unpacked = out.Bytes()
	return b.unpacked, err
}

// buffers are what pages are read and unpacked with. They are used again, because a file has
// hundreds of small pages.
type buffers struct {
	zstd             *zstd.Decoder
	packed, unpacked []byte // of one page at a time
}

var pool = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(mostUnpacked), zstd.WithDecoderMaxMemory(mostUnpacked), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err) // of options of ours
	}
	return &buffers{zstd: d}
}}

// mostKept is up to how many bytes a buffer is used again.
const mostKept = 4 << 20

// release gives the buffers back, large ones excluded.
func (b *buffers) release() {
	if cap(b.packed) > mostKept {
		b.packed = nil
	}
	if cap(b.unpacked) > mostKept {
		b.unpacked = nil
	}
	pool.Put(b)
}

// page is room for the packed bytes of a page.
func (b *buffers) page(size int64) []byte {
	b.packed = slices.Grow(b.packed[:0], int(size))[:size]
	return b.packed
}

// unpackZstd unpacks a frame, into the buffer where it says how long it is.
func (b *buffers) unpackZstd(packed []byte, says int64) ([]byte, error) {
	if len(packed) == 0 {
		return nil, nil
	}
	declared, err := oneFrame(packed, says)
	if err != nil {
		return nil, err
	}
	if declared {
		b.unpacked, err = b.zstd.DecodeAll(packed, b.unpacked[:0])
		return b.unpacked, err
	}
	if err := b.zstd.Reset(bytes.NewReader(packed)); err != nil {
		return nil, err
	}
	defer func() { _ = b.zstd.Reset(nil) }() // a frame that is left in its middle would be waited for
	return b.atMost(b.zstd, says)
}

// oneFrame refuses anything but a single frame of at most so many bytes, by the size that
// the frame declares (RFC 8878): the library allocates that much. declared reports whether it
// does.
func oneFrame(packed []byte, says int64) (declared bool, err error) {
	var h zstd.Header
	if err := h.Decode(packed); err != nil {
		return false, err
	}
	if h.Skippable || h.HasFCS && h.FrameContentSize > uint64(says) {
		return false, tooLarge(says)
	}
	rest := packed[h.HeaderSize:]
	for last := false; !last; {
		if len(rest) < 3 {
			return false, errShort
		}
		head := int(rest[0]) | int(rest[1])<<8 | int(rest[2])<<16
		size := head >> 3
		if head>>1&3 == 1 { // a byte that is repeated
			size = 1
		}
		if last = head&1 == 1; size > len(rest)-3 {
			return false, errShort
		}
		rest = rest[3+size:]
	}
	if h.HasCheckSum {
		rest = rest[min(4, len(rest)):]
	}
	if len(rest) > 0 {
		return false, errors.New("damaged file: something follows a page's compressed bytes")
	}
	return h.HasFCS, nil
}
