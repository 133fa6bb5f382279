package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/host/archive"
	"plimsoll/reference"
)

var update = flag.Bool("update", false, "write the reports of testdata/reports anew")

// Recorded are runs of this program on a machine of two cores with simulated media,
// each a directory without journal and logs, packed by archive.Write.
const recorded = "testdata/recorded"

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
	runs := unpacked(t)
	s := newSite(t)
	for _, name := range reference.Names() {
		staysSame(t, filepath.Join(want, "reference-"+name+".json"), s.reported(reference.Prefix+name))
	}
	for _, dir := range runs {
		staysSame(t, filepath.Join(want, filepath.Base(dir)+".json"), s.reported(dir))
	}
}

// unpacked are the directories of the recorded runs.
func unpacked(t *testing.T) (dirs []string) {
	t.Helper()
	files, err := filepath.Glob(recorded + "/*.tar.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded runs in %s: %v", recorded, err)
	}
	to := t.TempDir()
	for _, name := range files {
		dir := filepath.Join(to, strings.TrimSuffix(filepath.Base(name), ".tar.gz"))
		if err := unpack(name, dir); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		dirs = append(dirs, dir)
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
	return out
}

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
