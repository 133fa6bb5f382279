package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/result"
	"plimsoll/test/quick"
)

// A value that only the start of a server can judge: the trial fails in the
// server's own words, and its log is kept with it.
func TestServersThatDoNotStartSayWhyAndKeepTheirLogs(t *testing.T) {
	quick.Skip(t, quick.Servers)
	for _, c := range []struct{ engine, setting, says, boilerplate string }{
		{"postgres", "shared_preload_libraries: no_such_library", `FATAL:  could not access file "no_such_library"`, "database system was shut down"},
		{"mariadb", "innodb_data_file_path: nonsense", "innodb_data_file_path", "mailing list"},
	} {
		t.Run(c.engine, func(t *testing.T) {
			s := newSite(t)
			if err := os.Chmod(filepath.Dir(s.Dir), 0o755); err != nil { // servers run as another user
				t.Fatal(err)
			}
			study := strings.Replace(small, "{name: mariadb, memory: 256MiB}", "{name: "+c.engine+", memory: 256MiB, settings: {"+c.setting+"}}", 1)
			s.Write("small.yaml", strings.Replace(study, "[1, 2]", "[1]", 1))
			code, out, errs := s.plimsoll("run", "small.yaml", "--runs", "runs", "--no-fetch")
			if code == command.ExitCannotRun {
				t.Skip("this machine cannot run it: ", out, errs)
			}
			if code != command.ExitTrialFailed {
				t.Fatalf("exit code %d: %s%s", code, out, errs)
			}
			failedStart(t, c.says, c.boilerplate)
		})
	}
}

func failedStart(t *testing.T, says, boilerplate string) {
	t.Helper()
	dirs, _ := filepath.Glob("runs/*/" + result.PlanFile)
	if len(dirs) != 1 {
		t.Fatalf("runs: %v", dirs)
	}
	run, err := result.Open(filepath.Dir(dirs[0]))
	if err != nil || len(run.Trials) != 1 || run.Trials[0].Failure == nil {
		t.Fatalf("%+v, %v", run, err)
	}
	cause := run.Trials[0].Failure.Cause
	if !strings.Contains(cause, says) || strings.Contains(cause, boilerplate) {
		t.Errorf("the cause is: %s", cause)
	}
	named := regexp.MustCompile(`trials/\S+\.log`).FindString(cause)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(dirs[0]), named))
	if err != nil || !strings.Contains(string(text), says) {
		t.Errorf("the log %q holds %q (%v); the cause is: %s", named, text, err, cause)
	}
}
