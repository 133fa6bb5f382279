package pages

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// unpacked unpacks a page that says how many bytes it unpacks to, and no more of it than that.
func unpacked(codec format.CompressionCodec, packed []byte, says int64) ([]byte, error) {
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
		return atMost(r, says)
	case format.Brotli:
		return atMost(brotli.NewReader(bytes.NewReader(packed)), says)
	case format.Zstd:
		return unpackZstd(packed, says)
	}
	return nil, fmt.Errorf("a column is compressed by %v, which is not read; write it with zstd, snappy or gzip", codec)
}

func tooLarge(says int64) error {
	return fmt.Errorf("damaged file: a page of %d bytes unpacks to more", says)
}

// atMost reads all that there is, if that is so many bytes or fewer.
func atMost(r io.Reader, most int64) ([]byte, error) {
	var out bytes.Buffer
	_, err := out.ReadFrom(io.LimitReader(r, most+1))
	if err == nil && int64(out.Len()) > most {
		err = tooLarge(most)
	}
	return out.Bytes(), err
}

// decoders are used again: each holds buffers.
var decoders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(mostUnpacked), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err) // of options of ours
	}
	return d
}}

func unpackZstd(packed []byte, says int64) ([]byte, error) {
	if len(packed) == 0 {
		return nil, nil
	}
	if err := oneFrame(packed, says); err != nil {
		return nil, err
	}
	d := decoders.Get().(*zstd.Decoder)
	defer decoders.Put(d)
	if err := d.Reset(bytes.NewReader(packed)); err != nil {
		return nil, err
	}
	return atMost(d, says)
}

// oneFrame refuses anything but a single frame of at most so many bytes, by the size that
// the frame declares (RFC 8878): the library allocates that much.
func oneFrame(packed []byte, says int64) error {
	var h zstd.Header
	if err := h.Decode(packed); err != nil {
		return err
	}
	if h.Skippable || h.HasFCS && h.FrameContentSize > uint64(says) {
		return tooLarge(says)
	}
	rest := packed[h.HeaderSize:]
	for last := false; !last; {
		if len(rest) < 3 {
			return errShort
		}
		head := int(rest[0]) | int(rest[1])<<8 | int(rest[2])<<16
		size := head >> 3
		if head>>1&3 == 1 { // a byte that is repeated
			size = 1
		}
		if last = head&1 == 1; size > len(rest)-3 {
			return errShort
		}
		rest = rest[3+size:]
	}
	if h.HasCheckSum {
		rest = rest[min(4, len(rest)):]
	}
	if len(rest) > 0 {
		return errors.New("damaged file: something follows a page's compressed bytes")
	}
	return nil
}
