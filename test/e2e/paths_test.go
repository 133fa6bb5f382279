package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"plimsoll/internal/result"
	"plimsoll/internal/storage/gluster"
)

// awkward are characters that some pattern, shell, configuration, table of mounts or
// command line gives a meaning to, and letters of one to four bytes.
var awkward = []rune(`[]{}()'"\#:;,$%&*?!~^=+@|<>- .` + "`" + `aZ0éß漢🛟`)

// names draws names of files: any printable characters but the slash, more often those
// that mean something somewhere.
func names() *rapid.Generator[string] {
	any := rapid.RuneFrom(nil, unicode.L, unicode.N, unicode.P, unicode.S)
	char := rapid.OneOf(rapid.RuneFrom(awkward), rapid.RuneFrom(awkward), any)
	return rapid.StringOfN(char.Filter(func(r rune) bool { return unicode.IsPrint(r) && r != '/' }), 2, 8, 40).
		Filter(func(name string) bool { return name != ".." })
}

// places are where everything of one run lies.
type places struct{ Home, Runs, Storage, Temporary, Work, Study, Report string }

func somewhere() *rapid.Generator[places] {
	return rapid.Custom(func(t *rapid.T) places {
		name := func(of string) string { return names().Draw(t, of) }
		return places{Home: name("home"), Runs: name("runs"), Storage: name("storage"), Temporary: name("temporary"),
			Work: name("work"), Study: name("study"), Report: name("report")}
	})
}

// onPath are the smallest runs on each kind of thing that is given a path; STORAGE is
// replaced by it, quoted.
var onPath = []string{
	replace(tiny, "ENGINE", "postgres", "CLASS", "class: directory, path: STORAGE"),
	replace(tiny, "ENGINE", "mariadb", "CLASS", "class: directory, path: STORAGE"),
	replace(largeFiles, "path: disk", "path: STORAGE", "rungs: [1, 2]", "rungs: [1]"),
}

// onMedia are those that make volumes of their own in the directory of work.
var onMedia = []string{
	replace(tiny, "ENGINE", "postgres", "CLASS", "class: disk, media: ssd-sas, size: 1GiB"),
	replace(tiny, "ENGINE", "mariadb", "CLASS", "class: gluster, peers: 3, geometry: replica 3, disk: {media: ssd-sas, size: 1GiB}"),
	replace(tiny, "ENGINE", "postgres", "CLASS", "class: gluster, access: nfs, peers: 3, geometry: replica 3, disk: {media: ssd-sas, size: 1GiB}"),
}

const tiny = `study: tiny
workload: {name: oltp, parameters: {table_size: 100, rand_type: uniform}}
engine: {name: ENGINE, memory: 256MiB}
storage:
  here: {CLASS}
ladder: [1]
phases: {warmup: 1s, measure: 2s, ramp_rate: 0}
load: {users: 2, think_time: 20ms}
telemetry: {interval: 200ms}
`

// TestAnyPath: whatever printable characters the paths of a run have, it runs, is killed
// with -9 in the middle, cleaned, resumed, reported and cleaned, and nothing is left.
// PLIMSOLL_PATHS says with how many sets of paths (make nightly: more, and simulated
// disks and pools among them); $RAPID_SEED repeats them.
func TestAnyPath(t *testing.T) {
	t.Parallel()
	draws := number(t, "PLIMSOLL_PATHS", len(onPath))
	studies := onPath
	if draws > len(onPath)+1 && haveDisk() {
		studies = slices.Concat(onPath, onMedia)
	}
	seed := number(t, "RAPID_SEED", os.Getpid())
	t.Logf("seed %d", seed)
	for i := range draws {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			at := somewhere().Example(seed + i)
			t.Logf("%+q", at)
			anyPath(t, at, studies[i%len(studies)])
		})
	}
}

func anyPath(t *testing.T, at places, text string) {
	t.Helper()
	pool := strings.Contains(text, "class: gluster")
	if pool {
		needPool(t, map[bool]string{true: "nfs", false: "native"}[strings.Contains(text, "access: nfs")])
	}
	home, err := os.MkdirTemp("/var/tmp", "plimsoll-paths-") // where servers' own users get to
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(home, 0o755); err != nil {
		t.Fatal(err)
	}
	s := newSite(t)
	s.dir, s.runs = filepath.Join(home, at.Home), at.Runs
	temporary, work, volumes := filepath.Join(s.dir, "t"+at.Temporary), filepath.Join(s.dir, "w"+at.Work), filepath.Join(s.dir, "s"+at.Storage)
	for _, dir := range []string{temporary, work, volumes} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.env = []string{"TMPDIR=" + temporary, "PLIMSOLL_WORK=" + work}
	storage, err := json.Marshal(volumes)
	if err != nil {
		t.Fatal(err)
	}
	study := s.write(at.Study+".yaml", replace(text, "STORAGE", string(storage)))
	if pool && (gluster.Kind{}).CheckPath(work) != nil {
		out, errs := s.plimsoll(3, "plan", study)
		contains(t, strings.Join(strings.Fields(out+errs), " "), "--work", "bricks cannot lie below")
		work = filepath.Join(home, "w[é]{漢}~@🛟")
		if err := os.Mkdir(work, 0o755); err != nil {
			t.Fatal(err)
		}
		s.env = append(s.env, "PLIMSOLL_WORK="+work)
	}
	b := s.start("run", study, "--runs="+at.Runs, "--name", "k", "--min-grade", "F")
	b.until("the users are at work", s.driving("k"))
	b.signal(syscall.SIGKILL)
	b.wait()
	if len(s.leftovers("k")) == 0 {
		t.Fatal("a killed run left nothing: the test proves nothing")
	}
	clean := func(args ...string) {
		t.Helper()
		out, _ := s.plimsoll(0, append([]string{"clean"}, args...)...)
		contains(t, out, "Nothing is left of 1 run")
		if left := s.leftovers("k"); len(left) > 0 {
			t.Errorf("clean left: %q", left)
		}
	}
	clean("--", filepath.Join(at.Runs, "k"))
	s.plimsoll(0, "run", "--resume="+filepath.Join(at.Runs, "k"), "--min-grade", "F")
	run, err := result.Open(s.run("k"))
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range run.Trials {
		if trial.Status != result.Passed {
			t.Errorf("%s: %+v", trial.ID, trial.Failure)
		}
	}
	s.plimsoll(0, "report", "--output="+at.Report+".md", "--runs="+at.Runs)
	if text, err := os.ReadFile(filepath.Join(s.dir, at.Report+".md")); err != nil || len(text) == 0 {
		t.Errorf("the report: %d bytes, %v", len(text), err)
	}
	listed, _ := s.plimsoll(0, "list", "--json", "--runs="+at.Runs)
	contains(t, listed, `"k"`)
	clean("--", filepath.Join(at.Runs, "k"))
	for _, dir := range []string{temporary, work, volumes} {
		if left, err := os.ReadDir(dir); err == nil && len(left) > 0 {
			t.Errorf("left in %q: %v", dir, left)
		}
	}
}
