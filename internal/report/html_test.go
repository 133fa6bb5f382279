package report

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/describe"
	"plimsoll/internal/report/tables"
	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
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

func TestHTML(t *testing.T) {
	live := liveFixture()
	live.Study.Title = "</title><script>alert(1)</script>"
	var out bytes.Buffer
	if err := HTML(&out, live, liveSeries(live), Options{Series: 10}); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if strings.Contains(text, "<script>alert") {
		t.Error("the title is markup")
	}
	if strings.Contains(text, live.Machine.Hostname) {
		t.Error("the hostname is in the report")
	}
	if n := strings.Count(text, "</script>"); n != 3 {
		t.Errorf("%d script elements end, want 3: data, packed, program", n)
	}
	checkPolicy(t, text)
	checkPacked(t, text, live)
}

// checkPolicy recomputes the hash of the program in the policy.
func checkPolicy(t *testing.T, text string) {
	t.Helper()
	begin, end := strings.LastIndex(text, "<script>")+len("<script>"), strings.LastIndex(text, "</script>")
	hash := sha256.Sum256([]byte(text[begin:end]))
	if want := "script-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"; !strings.Contains(text, want) {
		t.Error("the policy does not allow the program")
	}
	for _, address := range regexp.MustCompile(`(src|href)="?(https?:)?//`).FindAllString(text[:begin], -1) {
		t.Errorf("something is fetched: %s", address)
	}
}

// checkPacked unpacks what the page unpacks.
func checkPacked(t *testing.T, text string, a *analysis.Analysis) {
	t.Helper()
	_, rest, _ := strings.Cut(text, `id="packed">`)
	packed, _, _ := strings.Cut(rest, "</script>")
	unpacked, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed)))
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(unpacked)
	var head packedHead
	if err := decoder.Decode(&head); err != nil {
		t.Fatal(err)
	}
	if len(head.Tables) != len(tables.CSVNames()) || len(head.Left) != len(a.Trials)-10 || head.Notices == "" {
		t.Errorf("%d tables, %d trials left out, %d bytes of notices", len(head.Tables), len(head.Left), len(head.Notices))
	}
	for range 10 {
		var trial map[string]any
		if err := decoder.Decode(&trial); err != nil {
			t.Fatal(err)
		}
		if series := trial["series"].([]any); len(series) < 20 {
			t.Errorf("%s has %d series", trial["id"], len(series))
		}
	}
}

func TestHTMLKeepsTheHostnameOnRequest(t *testing.T) {
	var out bytes.Buffer
	if err := HTML(&out, liveFixture(), nil, Options{Hostname: true}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "secret-host") {
		t.Error("the hostname is missing")
	}
}

// failingWriter is a full disk.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestHTMLSaysWhyItCouldNotBeWritten(t *testing.T) {
	live := liveFixture()
	err := HTML(failingWriter{}, live, liveSeries(live), Options{})
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("got %v", err)
	}
}

// Every published result makes a report.
func TestReferences(t *testing.T) {
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

// Published results have no telemetry, and do not complain that it is missing.
func TestPublishedResultsHaveNoSeries(t *testing.T) {
	run, err := reference.Open("cns-ds2")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	series := run.SeriesOf
	if err := HTML(&out, analysed(t, "cns-ds2"), series, Options{}); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(out.String(), `id="packed">`)
	packed, _, _ := strings.Cut(rest, "</script>")
	unpacked, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	if found := regexp.MustCompile(`"problem":"[^"]*"`).Find(text); found != nil {
		t.Errorf("the page is told: %s", found)
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

// synthetic makes, reads and judges a run directory of a workload.
func synthetic(t *testing.T, profile describe.Profile) (*analysis.Analysis, SeriesSource) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "run")
	if err := resulttest.RunOf(profile, folder, []string{"nvme", "ssd", "hdd"}, []int{1, 4, 16, 32}, 2, 30); err != nil {
		t.Fatal(err)
	}
	return analysedRun(t, folder)
}

// analysedRun reads and judges a run directory.
func analysedRun(t *testing.T, folder string) (*analysis.Analysis, SeriesSource) {
	t.Helper()
	run, err := result.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	a, err := analysis.Analyse(run, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a, run.SeriesOf
}
