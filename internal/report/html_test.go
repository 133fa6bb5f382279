package report

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/reference"
)

var samples = flag.String("samples", "", "a folder to write sample reports to, to look at them")

// writeReport writes an HTML report into a file.
func writeReport(t *testing.T, path string, a *analysis.Analysis, series SeriesSource) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := HTML(file, a, series, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestSamples(t *testing.T) {
	folder := *samples
	if folder == "" {
		folder = t.TempDir()
	}
	live := liveFixture()
	writeReport(t, filepath.Join(folder, "live.html"), live, liveSeries(live))
	writeReport(t, filepath.Join(folder, "reference.html"), referenceFixture(), nil)
	for _, name := range reference.Names() {
		writeReport(t, filepath.Join(folder, name+".html"), analysed(t, name), nil)
	}
}

// analysed opens and judges a published result.
func analysed(t *testing.T, name string) *analysis.Analysis {
	t.Helper()
	run, err := reference.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	a, err := analysis.Analyse(run, analysis.Options{})
	if a == nil {
		t.Fatalf("%s: %v", name, err)
	}
	return a
}
