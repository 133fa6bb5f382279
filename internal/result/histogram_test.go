package result

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// fromPython is the encoding that HdrHistogram's Python library (0.10.8) gives
// for the values 37, 74, ... 370,000 and 59,000,000, with the same range and
// precision; the wanted percentiles are the ones it computes.
const fromPython = "HISTFAAAAJd4nJNpmSzMwCAyhQECmKE0I4i4NnkJg/0HiIAnkzsdoT6TIpMy3bA0kyATPxgOR5qTiR0IWaEYmRzlD3Y+IxMzEMNIVB4mOSo/Kj8qT7k8EIAJOIWfO6poVNGoomGkiIWFBYqRmGjcUUWjikYVDUtFbBxwiMTEzRlVNKpoVNHwUcSHADx8ODi42KOK6KSI7XApEwA903qz"

func TestHistogramsOfOtherLibrariesAreUnderstood(t *testing.T) {
	h, err := DecodeHistogram(fromPython)
	if err != nil {
		t.Fatal(err)
	}
	if h.TotalCount() != 10001 {
		t.Errorf("total count = %d, want 10001", h.TotalCount())
	}
	for q, want := range map[float64]float64{0.50: 0.185087, 0.90: 0.333055, 0.95: 0.351743, 0.99: 0.366591, 0.999: 0.369919, 1: 59.015167} {
		if got := Quantile(h, q); math.Abs(got/want-1) > 0.001 {
			t.Errorf("quantile %g = %g s, want %g s", q, got, want)
		}
	}
}

// Older runs have microseconds; read and written again they are nanoseconds.
func TestHistogramsInMicrosecondsAreRead(t *testing.T) {
	old, err := DecodeHistogram(fromPython)
	if err != nil {
		t.Fatal(err)
	}
	text, err := EncodeHistogram(old)
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodeHistogram(text)
	if err != nil || !back.Equals(old) {
		t.Errorf("encoding again gives another histogram (error %v)", err)
	}
	sum, err := MergeHistograms(fromPython, text)
	if err != nil || sum.TotalCount() != 20002 || math.Abs(Quantile(sum, 0.5)/0.185-1) > 0.002 {
		t.Errorf("merged with nanoseconds: %d values, median %g s (error %v)", sum.TotalCount(), Quantile(sum, 0.5), err)
	}
}

func TestMergingIsTheSameAsRecordingTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := NewHistogram()
		var parts []string
		for range rapid.IntRange(0, 4).Draw(t, "parts") {
			part := NewHistogram()
			for _, v := range rapid.SliceOf(rapid.Int64Range(1, HistogramMax)).Draw(t, "values") {
				if part.RecordValue(v) != nil || whole.RecordValue(v) != nil {
					t.Fatalf("value %d is not taken", v)
				}
			}
			text, err := EncodeHistogram(part)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, text)
		}
		sum, err := MergeHistograms(parts...)
		if err != nil || !sum.Equals(whole) {
			t.Fatalf("merged histogram differs (error %v)", err)
		}
	})
}

func TestMergeLeavesOutWhatItCannotRead(t *testing.T) {
	one := NewHistogram()
	if err := one.RecordValue(1000); err != nil {
		t.Fatal(err)
	}
	text, err := EncodeHistogram(one)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := MergeHistograms(text, "not a histogram", "", text)
	if err == nil {
		t.Error("a damaged histogram is not reported")
	}
	if sum.TotalCount() != 2 {
		t.Errorf("total count = %d, want the 2 of the readable ones", sum.TotalCount())
	}
}

func TestQuantileOfNothingIsNotKnown(t *testing.T) {
	if q := Quantile(NewHistogram(), 0.5); !math.IsNaN(q) {
		t.Errorf("median of an empty histogram = %g, want NaN", q)
	}
}

// Reading bucket by bucket gives the same as the whole histogram, in little memory: an
// array of all buckets would be 270 kB.
func TestEachBucket(t *testing.T) {
	h, err := DecodeHistogram(fromPython)
	if err != nil {
		t.Fatal(err)
	}
	text, err := EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	holds := map[int64]int64{}
	for _, bar := range h.Distribution() {
		holds[bar.From] = bar.Count
	}
	old := int64(0)
	if err := EachBucket(fromPython, func(seconds float64, count int64) {
		if old += count; seconds < 37e-6 || seconds > 60 {
			t.Errorf("%d at %g s in microseconds", count, seconds)
		}
	}); err != nil || old != h.TotalCount() {
		t.Errorf("%d values of %d: %v", old, h.TotalCount(), err)
	}
	var total int64
	last := -1.0
	if err := EachBucket(text, func(seconds float64, count int64) {
		if held := holds[int64(math.Round(seconds*1e9))]; seconds <= last || count != held {
			t.Errorf("%d at %g s after %g s, but the histogram has %d", count, seconds, last, held)
		}
		total, last = total+count, seconds
	}); err != nil || total != h.TotalCount() {
		t.Errorf("%d values of %d: %v", total, h.TotalCount(), err)
	}
	if err := EachBucket("", nil); err != nil {
		t.Error(err)
	}
	if err := EachBucket("nonsense", nil); err == nil {
		t.Error("nonsense was read")
	}
	sparse := NewHistogram()
	_ = sparse.RecordValue(1000) // within the range
	text, err = EncodeHistogram(sparse)
	if err != nil {
		t.Fatal(err)
	}
	read := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = EachBucket(text, func(float64, int64) {})
		}
	})
	if bytes := read.AllocedBytesPerOp(); bytes > 100_000 {
		t.Errorf("reading a histogram of one value takes %d bytes", bytes)
	}
}
