package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/internal/analysis"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/results"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/host/archive"
	"plimsoll/internal/report"
	"plimsoll/reference"
	"plimsoll/test/screens"
)

var update = flag.Bool("update", false, "write the reports of testdata/reports anew")

// Recorded are runs of this program on a machine of two cores with simulated media,
// each a directory without journal and logs, packed by archive.Write.
const recorded = "testdata/recorded"

// Of the runs of the shipped studies in questions only what trials sum up is kept.
const questions = "testdata/questions"

// Published results and recorded runs give the same report as before, byte for byte. After an
// intended change, update the reports with
//
//	go test ./internal/cli -run TestReportsStay -update
//
// and read the differences before the commit.
func TestReportsStay(t *testing.T) {
	want, err := filepath.Abs("testdata/reports")
	if err != nil {
		t.Fatal(err)
	}
	runs := unpacked(t, recorded)
	s := newSite(t)
	for _, name := range reference.Names() {
		staysSame(t, filepath.Join(want, "reference-"+name+".json"), s.reported(reference.Prefix+name))
	}
	for _, dir := range runs {
		staysSame(t, filepath.Join(want, filepath.Base(dir)+".json"), s.reported(dir))
	}
}

// Every recorded run ends with one screen, which names what shows the rest.
func TestRecordedRunsEndWithOneScreen(t *testing.T) {
	for name, a := range recordedAnalyses(t) {
		var out bytes.Buffer
		if err := report.Screen(&out, a, "runs/"+name, "runs/"+name+"/report.html", 0, false); err != nil {
			t.Fatal(err)
		}
		if problem := screens.Exceeds(out.String()); problem != "" || !strings.Contains(out.String(), "plimsoll report runs/"+name+"\n") {
			t.Errorf("%s: %s\n%s", name, problem, out.String())
		}
		t.Logf("%s: %d lines", name, strings.Count(out.String(), "\n"))
	}
}

// The answers of recorded runs are short, and each of their sentences is read at once.
func TestRecordedAnswersAreReadable(t *testing.T) {
	for name, a := range recordedAnalyses(t) {
		said := report.Said(a, a.Headline)
		if n := screens.Words(said); n > screens.AnswerWords || n == 0 {
			t.Errorf("%s: an answer of %d words: %s", name, n, said)
		}
		texts := []string{said, report.Said(a, report.GradeText(a))}
		for _, d := range a.Caveats {
			texts = append(texts, report.Said(a, d.Text))
		}
		for _, f := range a.Findings {
			texts = append(texts, report.Said(a, f.Next))
		}
		for _, text := range texts {
			if problem := screens.Unreadable(text); problem != "" {
				t.Errorf("%s: %s", name, problem)
			}
		}
		t.Logf("%s: %d words", name, screens.Words(said))
	}
}

// recordedAnalyses are those of all recorded runs and of the published results, by their names.
func recordedAnalyses(t *testing.T) map[string]*analysis.Analysis {
	t.Helper()
	runs := unpacked(t, recorded, questions)
	for _, name := range reference.Names() {
		runs = append(runs, reference.Prefix+name)
	}
	all := map[string]*analysis.Analysis{}
	for _, name := range runs {
		run, err := rundir.OpenLean("", []string{name})
		if err != nil {
			t.Fatal(err)
		}
		a, err := results.Analyse(run, analysis.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[strings.ReplaceAll(strings.TrimPrefix(name, filepath.Dir(runs[0])+"/"), "/", "-")] = a
	}
	return all
}

// unpacked are the directories of the runs that are packed in some folders.
func unpacked(t *testing.T, folders ...string) (dirs []string) {
	t.Helper()
	to := t.TempDir()
	for _, folder := range folders {
		files, err := filepath.Glob(folder + "/*.tar.gz")
		if err != nil || len(files) == 0 {
			t.Fatalf("no recorded runs in %s: %v", folder, err)
		}
		for _, name := range files {
			dir := filepath.Join(to, strings.TrimSuffix(filepath.Base(name), ".tar.gz"))
			if err := unpack(name, dir); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func unpack(name, dir string) error {
	packed, err := os.Open(name)
	if err != nil {
		return err
	}
	defer packed.Close()
	return archive.Read(packed, dir)
}

// reported is a run's report as JSON. It may be refused for its grade, as on the
// command line.
func (s *site) reported(run string) string {
	s.T.Helper()
	code, out, errs := s.plimsoll("report", run, "--json")
	if code != 0 && code != command.ExitRefused {
		s.T.Fatalf("report %s: exit code %d: %s", run, code, errs)
	}
	return analysedBy.ReplaceAllString(out, "")
}

// analysedBy is the version of the program that made a report.
var analysedBy = regexp.MustCompile(`\n *"analysed_by": "[^"]*",`)

func staysSame(t *testing.T, file, have string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(have), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, []byte(have)) {
		t.Errorf("%s (-was +is):\n%s", filepath.Base(file), cmp.Diff(string(want), have))
	}
}
