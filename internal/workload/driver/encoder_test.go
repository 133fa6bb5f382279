package driver

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"io"
	"math/rand/v2"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"pgregory.net/rapid"

	"plimsoll/internal/result"
)

// What the encoder writes is, before compression, what the library writes, whatever it
// wrote before.
func TestHistogramsAreEncodedAsTheLibraryDoes(t *testing.T) {
	e := newEncoder()
	rapid.Check(t, func(t *rapid.T) {
		h := newHistogram()
		values := rapid.SliceOf(rapid.OneOf(rapid.Int64Range(1, 5000), rapid.Int64Range(1, result.HistogramMax))).Draw(t, "values")
		for _, v := range values {
			if err := h.RecordValues(v, rapid.OneOf(rapid.Just(int64(1)), rapid.Int64Range(1, 1<<40)).Draw(t, "count")); err != nil {
				t.Fatal(err)
			}
		}
		text, err := e.encode(h)
		if err != nil {
			t.Fatal(err)
		}
		if len(values) == 0 {
			if text != "" {
				t.Fatalf("an empty histogram is %q", text)
			}
			return
		}
		library, err := h.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := plain(t, text), plain(t, string(library)); !bytes.Equal(got, want) {
			t.Fatalf("encoded as\n%x, want\n%x", got, want)
		}
		if read, err := hdr.Decode([]byte(text)); err != nil || read.TotalCount() != h.TotalCount() {
			t.Fatalf("the library reads %v (%v), want %d values", read, err, h.TotalCount())
		}
	})
}

// plain is a text before compression.
func plain(t *rapid.T, text string) []byte {
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zlib.NewReader(bytes.NewReader(packed[packedHeader:]))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func BenchmarkEncode(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	h := newHistogram()
	for range 1000 {
		recordTime(h, exponential(random))
	}
	b.Run("own", func(b *testing.B) {
		e := newEncoder()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := e.encode(h); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("library", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := h.Encode(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
