package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/internal/result"
)

const largeFiles = `study: large
title: Large files
workload: {name: files, parameters: {file_size: 4000KB, block_size: 64KiB, files: 2}}
storage:
  here: {class: directory, path: disk}
ladder: {of: users, rungs: [1, 2]}
phases: {warmup: 1s, measure: 2s, ramp_rate: 0}
telemetry: {interval: 200ms}
objectives: ["p95 <= 10s", "errors <= 0.1%"]
`

// Every operation runs as a study does, on files that were dropped from the page
// cache before, and every file is audited.
func TestLargeFilesAreWrittenReadAndAudited(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	all := replace(largeFiles, "ladder:", "matrix:\n  workload.parameters.operation: [write, rewrite, read, reread, mixed]\nladder:")
	out, _ := s.plimsoll(0, "run", s.write("large.yaml", all), "--name", "large", "--min-grade", "F")
	contains(t, out, "MB/s", "workers")
	for _, operation := range []string{"write", "rewrite", "read", "reread", "mixed"} {
		for _, rung := range []string{"1", "2"} {
			trial := s.trial("large", "here-operation-"+operation+"/"+rung+"/1")
			if trial.Status != result.Passed || !trial.Audit.Passed || trial.Whole().Count == 0 || trial.Whole().Bytes == 0 {
				t.Errorf("%s/%s: %s, %+v, %+v", operation, rung, trial.Status, trial.Failure, trial.Audit)
			}
			if notes := strings.Join(trial.Notes, "\n"); !strings.Contains(notes, "from the page cache") && !strings.Contains(notes, "the page cache is the medium") {
				t.Errorf("%s/%s: nobody says that caches were dropped: %s", operation, rung, notes)
			}
		}
	}
}

// A volume that fills up while workers write fails the trial, and the files are
// removed.
func TestVolumeOfFilesThatFillsUp(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root to mount a small file system")
	}
	s := newSite(t)
	volumes := filepath.Join(s.dir, "volumes")
	if err := os.Mkdir(volumes, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("small", volumes, "tmpfs", 0, "size=64m"); err != nil {
		t.Skip("this machine does not let file systems be mounted: ", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(volumes, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	long := replace(largeFiles, "path: disk", "path: "+volumes, "measure: 2s", "measure: 30s", "[1, 2]", "[1]")
	b := s.start("run", s.write("large.yaml", long), "--name", "full", "--min-grade", "F")
	b.until("the trial drives", s.driving("full"))
	filler := filepath.Join(volumes, "filler")
	takeAllRoom(t, filler)
	if code := b.wait(); code == 0 {
		t.Fatalf("exit code 0\n%s", &b.out)
	}
	trial := s.trial("full", "here/1/1")
	if trial.Status != result.Failed || !strings.HasPrefix(trial.Failure.Reason, "no space is left") {
		t.Errorf("%s: %+v", trial.Status, trial.Failure)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(volumes); err != nil || len(left) > 0 {
		t.Errorf("on the volume are left %v, %v", left, err)
	}
}
