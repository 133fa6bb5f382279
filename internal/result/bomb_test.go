package result_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"plimsoll/internal/result"
)

// bomb is a histogram of a few hundred kilobytes that is as large as memory once it is
// unpacked.
func bomb(t *testing.T) string {
	t.Helper()
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	zeros := make([]byte, 1<<20)
	for range 64 {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const compressedV2 = 0x1c849304 // HdrHistogram's cookie
	head := binary.BigEndian.AppendUint32(nil, compressedV2)
	head = binary.BigEndian.AppendUint32(head, uint32(packed.Len()))
	return base64.StdEncoding.EncodeToString(append(head, packed.Bytes()...))
}

// Files of a received run that are small and unpack to something huge, or that are huge
// themselves, take no memory.
func TestBombsInRunsAreNotUnpacked(t *testing.T) {
	dir, _ := newRun(t)
	trial := filepath.Join(dir, result.TrialsDir, "ssd", "1", "1")
	text := bomb(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := result.MergeHistograms(text); err == nil {
		t.Error("a histogram of nothing but zeros is merged")
	}
	_ = result.EachBucket(text, func(float64, int64) { t.Error("a bomb has buckets") })
	for _, name := range []string{result.TrialFile, result.TelemetryFile, "../../../../" + result.PlanFile} {
		if err := os.Truncate(filepath.Join(trial, name), 2<<30); err != nil { // sparse
			t.Fatal(err)
		}
	}
	run, err := result.OpenLean(dir)
	if err != nil || len(run.Problems) != 2 || !strings.Contains(run.Problems[0].Reason, "limit") {
		t.Errorf("%+v, %v", run, err)
	}
	if _, err := run.Series(at("ssd/1/1")); err == nil {
		t.Error("telemetry of 2 GiB is read")
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 {
		t.Errorf("%d MB were allocated", took>>20)
	}
}
