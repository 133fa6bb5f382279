package driver

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// encoder writes histograms as the library does, in HdrHistogram's V2 format, but reuses
// its buffers and compressor. The library allocates a compressor of nearly a megabyte for
// each histogram, so the garbage collector runs every second. The collector stops the
// users' threads, and they may resume on another processor than the server that answers
// them (docs/driver-measurements.md).
type encoder struct {
	plain      []byte
	packed     bytes.Buffer
	compressor *zlib.Writer
}

func newEncoder() *encoder { return &encoder{compressor: zlib.NewWriter(nil)} }

const (
	cookiePlain      = uint32(hdr.V2EncodingCookieBase) | 0x10 // says what a text is
	cookieCompressed = uint32(hdr.V2CompressedEncodingCookieBase) | 0x10
	plainHeader      = 40
	packedHeader     = 8
)

// encode returns the text of a histogram, empty when it is.
func (e *encoder) encode(h *hdr.PackedHistogram) (string, error) {
	if h.TotalCount() == 0 {
		return "", nil
	}
	e.describe(h)
	e.packed.Reset()
	e.packed.Write(make([]byte, packedHeader))
	e.compressor.Reset(&e.packed)
	_, err := e.compressor.Write(e.plain)
	if err = errors.Join(err, e.compressor.Close()); err != nil {
		return "", fmt.Errorf("encode a histogram: %w", err)
	}
	packed := e.packed.Bytes()
	binary.BigEndian.PutUint32(packed, cookieCompressed)
	binary.BigEndian.PutUint32(packed[4:], uint32(len(packed)-packedHeader))
	return base64.StdEncoding.EncodeToString(packed), nil
}

// describe writes the format before compression: a header, then the count of each
// bucket up to the last that is not empty; several empty ones in a row are their
// number, negated.
func (e *encoder) describe(h *hdr.PackedHistogram) {
	b := binary.BigEndian.AppendUint32(e.plain[:0], cookiePlain)
	b = binary.BigEndian.AppendUint32(b, 0) // length of the counts, known at the end
	b = binary.BigEndian.AppendUint32(b, 0) // buckets are not shifted
	b = binary.BigEndian.AppendUint32(b, histogramDigits)
	b = binary.BigEndian.AppendUint64(b, uint64(h.LowestTrackableValue()))
	b = binary.BigEndian.AppendUint64(b, uint64(h.HighestTrackableValue()))
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(1)) // a value is a nanosecond
	next := 0
	for value, count := range h.ForEachBucket {
		place := bucket(value)
		switch empty := place - next; {
		case empty > 1:
			b = binary.AppendVarint(b, -int64(empty))
		case empty == 1:
			b = binary.AppendVarint(b, 0)
		}
		b = binary.AppendVarint(b, count)
		next = place + 1
	}
	binary.BigEndian.PutUint32(b[4:], uint32(len(b)-plainHeader))
	e.plain = b
}

// bucket is the place of a value among the buckets: with three significant digits, 2,048
// of width 1, and then 1,024 of each next power of two.
func bucket(value int64) int {
	const halves = 1024
	doublings := bits.Len64(uint64(value)|(2*halves-1)) - bits.Len64(2*halves-1)
	return doublings*halves + int(value>>doublings)
}
