package telemetry

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"plimsoll/internal/describe"
)

// madeDevice is a device whose counts are written by the test.
type madeDevice struct {
	t           *testing.T
	stat, order string
	source      source
	book        *book
}

func newMadeDevice(t *testing.T, kernels bool) *madeDevice {
	dir := t.TempDir()
	d := &madeDevice{t: t, stat: filepath.Join(dir, "stat"), order: filepath.Join(dir, "order"), book: newBook(0)}
	of := describe.Device{Name: "made", Order: d.order, Stat: d.stat}
	if kernels {
		of.Stat = ""
	}
	d.source = newDeviceSource(d.book, newFiles(), d.stat, of)
	t.Cleanup(d.source.close)
	return d
}

// sample has the device show counts a second after the sample before.
func (d *madeDevice) sample(stat, order string) {
	d.t.Helper()
	for path, text := range map[string]string{d.stat: stat, d.order: order} {
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			d.t.Fatal(err)
		}
	}
	d.source.sample(1)
}

// last is the last value of a metric; NaN where it is not known or not recorded.
func (d *madeDevice) last(metric string) float64 {
	for _, s := range d.book.series {
		if s.Metric == metric && len(s.Values) > 0 {
			return s.Values[len(s.Values)-1]
		}
	}
	return math.NaN()
}

func (d *madeDevice) want(all map[string]float64) {
	d.t.Helper()
	for metric, want := range all {
		if got := d.last(metric); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			d.t.Errorf("%s is %v, want %v", metric, got, want)
		}
	}
}

func TestMergesAndOrderOfADevice(t *testing.T) {
	nan := math.NaN()
	d := newMadeDevice(t, true)
	d.sample("100 10 0 0 200 20 0 0 0 0 0 0 0 0 0 0 0", "50 60")
	d.want(map[string]float64{"random_writes": nan, "write_merges": nan})
	d.sample("100 10 0 0 220 80 0 0 0 0 0 0 0 0 0 0 0", "50 65")
	d.want(map[string]float64{"reads": 0, "read_merges": 0, "writes": 20, "write_merges": 60, "random_reads": 0, "random_writes": 5})
	d.sample("104 10 0 0 220 80 0 0 0 0 0 0 0 0 0 0 0", "3 65") // another process plays the medium
	d.want(map[string]float64{"reads": 4, "random_reads": nan, "random_writes": 0})
}

// The order is unknown, not 0, when nothing says it; a device that is not the kernel's has no merges.
func TestOrderThatIsNotKnown(t *testing.T) {
	nan := math.NaN()
	d := newMadeDevice(t, false)
	d.sample("100 0 0 0 200 0 0 0 0 0 0 0 0 0 0 0 0", "")
	d.sample("110 0 0 0 200 0 0 0 0 0 0 0 0 0 0 0 0", "")
	d.want(map[string]float64{"reads": 10, "random_reads": nan, "random_writes": nan, "read_merges": nan, "write_merges": nan})
}
