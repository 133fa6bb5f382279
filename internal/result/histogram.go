package result

import (
	"errors"
	"fmt"
	"math"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// Histograms count response times in nanoseconds, from 1 ns to HistogramMax,
// with three significant digits (an error below 0.1 %).
const (
	HistogramMax    = int64(time.Hour / time.Nanosecond)
	histogramDigits = 3
)

// oldHistogramMax is the upper end of histograms in microseconds, which run directories
// before schema version 3 have. The end is in every histogram and tells its unit.
const oldHistogramMax = int64(time.Hour / time.Microsecond)

// unitOf is how many nanoseconds a value of a histogram with such an end stands for.
func unitOf(highest int64) int64 {
	if highest <= oldHistogramMax {
		return int64(time.Microsecond)
	}
	return 1
}

// NewHistogram makes an empty histogram of response times in nanoseconds.
func NewHistogram() *hdr.Histogram { return hdr.New(1, HistogramMax, histogramDigits) }

// EncodeHistogram gives the text that records and trials hold: HdrHistogram's
// V2 format, compressed, in base64, which its libraries for other languages
// read.
func EncodeHistogram(h *hdr.Histogram) (string, error) {
	text, err := h.Encode(hdr.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("encode a histogram: %w", err)
	}
	return string(text), nil
}

// DecodeHistogram reads what EncodeHistogram wrote, and what older versions wrote in
// microseconds. Empty text is an empty histogram.
func DecodeHistogram(text string) (*hdr.Histogram, error) {
	if text == "" {
		return NewHistogram(), nil
	}
	h, err := hdr.Decode([]byte(text))
	if err != nil {
		return nil, decodeError(err)
	}
	if unit := unitOf(h.HighestTrackableValue()); unit > 1 {
		return inNanoseconds(h, unit), nil
	}
	return h, nil
}

func decodeError(err error) error { return fmt.Errorf("decode a histogram: %w", err) }

// decodeSparse reads what DecodeHistogram does, without room for the buckets that are empty,
// nearly all of a record's.
func decodeSparse(text string) (*hdr.PackedHistogram, error) {
	if text == "" {
		return newSparse(), nil
	}
	h, err := hdr.DecodePacked([]byte(text))
	if err != nil {
		return nil, decodeError(err)
	}
	if unitOf(h.HighestTrackableValue()) == 1 {
		return h, nil
	}
	whole, err := DecodeHistogram(text)
	if err != nil {
		return nil, err
	}
	out := newSparse()
	out.MergeFrom(whole)
	return out, nil
}

func newSparse() *hdr.PackedHistogram { return hdr.NewPacked(1, HistogramMax, histogramDigits) }

// Times adds encoded histograms up one by one, and takes no room for empty buckets. The zero
// value is empty.
type Times struct{ sum *hdr.PackedHistogram }

// Add adds one. Times above an hour are left out.
func (t *Times) Add(text string) error {
	h, err := decodeSparse(text)
	if err != nil {
		return err
	}
	if t.sum == nil {
		t.sum = newSparse()
	}
	t.sum.Merge(h)
	return nil
}

// AddTo adds all of them to a histogram of NewHistogram.
func (t *Times) AddTo(sum *hdr.Histogram) {
	if t.sum != nil {
		t.sum.MergeInto(sum)
	}
}

// inNanoseconds is a histogram of another unit, which is so many nanoseconds.
func inNanoseconds(h *hdr.Histogram, unit int64) *hdr.Histogram {
	out := NewHistogram()
	for _, bar := range h.Distribution() {
		if bar.Count > 0 {
			_ = out.RecordValues(min(bar.To*unit, HistogramMax), bar.Count)
		}
	}
	return out
}

// EachBucket gives what an encoded histogram holds, in ascending order of the response
// time in seconds. It makes no room for the buckets that are empty, nearly all of a
// record's: it costs a small part of DecodeHistogram. A time is the least of its bucket.
func EachBucket(text string, take func(seconds float64, count int64)) error {
	if text == "" {
		return nil
	}
	h, err := hdr.DecodePacked([]byte(text))
	if err != nil {
		return decodeError(err)
	}
	unit := unitOf(h.HighestTrackableValue())
	for value, count := range h.ForEachBucket {
		take(seconds(float64(value*unit)), count)
	}
	return nil
}

// CanonicalHistogram writes an encoded histogram as EncodeHistogram does; false is that the text
// is none.
func CanonicalHistogram(text string) (string, bool) {
	h, err := decodeSparse(text)
	if err != nil {
		return "", false
	}
	written, err := h.Encode()
	return string(written), err == nil
}

// agree says how a histogram contradicts the number of response times that it
// should hold. One that is missing contradicts nothing, as published results
// have none; one that is damaged is for its reader to report.
func agree(text string, count int64) error {
	if text == "" {
		return nil
	}
	if h, err := hdr.DecodePacked([]byte(text)); err == nil {
		return holds(h, text, count)
	}
	return nil
}

// holds is agree of a histogram that was read from the text.
func holds(h *hdr.PackedHistogram, text string, count int64) error {
	if text != "" && h.TotalCount() != count {
		return fmt.Errorf("has a histogram of %d response times but a count of %d", h.TotalCount(), count)
	}
	return nil
}

// MergeHistograms adds encoded histograms exactly: the percentiles of the sum are the
// percentiles of all values together. An unreadable histogram is left out and reported; the
// sum of the others is still returned.
func MergeHistograms(texts ...string) (*hdr.Histogram, error) {
	sum := NewHistogram()
	var problems []error
	for _, text := range texts {
		dropped, err := addTo(sum, text)
		if err != nil {
			problems = append(problems, err)
		}
		if dropped > 0 {
			problems = append(problems, fmt.Errorf("merge histograms: %d values lie above %v and were left out", dropped, time.Hour))
		}
	}
	return sum, errors.Join(problems...)
}

// addTo adds an encoded histogram to another one, and counts the values that did not fit.
func addTo(sum *hdr.Histogram, text string) (dropped int64, err error) {
	h, err := decodeSparse(text)
	if err != nil {
		return 0, err
	}
	return h.MergeInto(sum), nil
}

// histogram is what a full one and a sparse one tell alike.
type histogram interface {
	TotalCount() int64
	Mean() float64
	ValueAtPercentile(percentile float64) int64
}

// Quantile is the value in seconds below which the share q (0..1) of the
// values lies, NaN for an empty histogram.
func Quantile(h histogram, q float64) float64 {
	if h.TotalCount() == 0 {
		return math.NaN()
	}
	return seconds(float64(h.ValueAtPercentile(q * 100)))
}

// Mean is the mean of the values in seconds, 0 of none.
func Mean(h histogram) float64 { return seconds(h.Mean()) }

func seconds(nanoseconds float64) float64 { return nanoseconds / 1e9 }

// RecordTimes counts a time in seconds so many times. Values out of range are clamped.
func RecordTimes(h *hdr.Histogram, s float64, count int64) {
	_ = h.RecordValues(recorded(s), count) // cannot fail within the range
}

// recorded is how a histogram holds a time in seconds.
func recorded(s float64) int64 { return min(max(1, int64(math.Round(s*1e9))), HistogramMax) }
