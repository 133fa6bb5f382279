package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/result/resulttest"
)

// Without arguments, the program lists on a terminal the things to try here; elsewhere it prints
// help.
func TestFirstLook(t *testing.T) {
	s := newSite(t)
	if _, out, _ := s.plimsoll(); !strings.Contains(out, "Available Commands") {
		t.Errorf("without a terminal there is no help:\n%s", out)
	}
	shown := strings.Join(strings.Fields(s.Terminal(80, func(state *command.State) { Main(state, nil) })), " ")
	for _, want := range []string{"plimsoll demo", "plimsoll try " + s.Dir, "plimsoll doctor lists them", "plimsoll --help"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is missing in\n%s", want, shown)
		}
	}
	_, out, _ := s.plimsoll("--json")
	var look firstLook
	if err := json.Unmarshal([]byte(out), &look); err != nil || len(look.Offers) < 4 || look.Checks[string(doctor.OK)] == 0 {
		t.Errorf("%v: %s", err, out)
	}
}

// A problem that prevents the demo is shown with its fix. The newest run is offered; a directory
// that cannot be tried is not.
func TestOffersAreOfWhatIsHere(t *testing.T) {
	newSite(t)
	if err := resulttest.Run("runs/20261125-101500-x", []string{"ssd"}, []int{1, 4}, 2, 30); err != nil {
		t.Fatal(err)
	}
	look := lookAround([]doctor.Check{{Name: "a", Status: doctor.Warn}, {Name: "engines", Status: doctor.Fail, Found: "none", Fix: "install one"}}, "/proc", "runs")
	commands := map[string]string{}
	for _, o := range look.Offers {
		commands[o.Command] = o.Blocked
	}
	if commands["plimsoll demo"] != "engines: none; fix: install one" {
		t.Errorf("the demo is blocked by %q", commands["plimsoll demo"])
	}
	for _, want := range []string{"plimsoll try PATH", "plimsoll report runs/20261125-101500-x", "plimsoll why runs/20261125-101500-x"} {
		if _, has := commands[want]; !has {
			t.Errorf("%s is not offered: %v", want, commands)
		}
	}
}

// The page is opened by the desktop's program; without a desktop its path is said.
func TestReportOpens(t *testing.T) {
	s := newSite(t)
	if err := resulttest.Run("runs/x", []string{"ssd"}, []int{1, 4}, 2, 30); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(s.Dir, "runs", "x", "report.html")
	code, out, errs := s.plimsoll("report", "runs/x", "--open")
	if code != 0 || !strings.Contains(out, "report.html") || !strings.Contains(errs, "no display") || !strings.Contains(errs, page) {
		t.Errorf("code %d: %s%s", code, out, errs)
	}
	// A desktop cannot be had in a test, so that a program of this name stands for it.
	opened := filepath.Join(s.Dir, "opened")
	bin := t.TempDir()
	program := "#!/bin/sh\nprintf %s \"$1\" > '" + opened + ".new' && mv '" + opened + ".new' '" + opened + "'\n"
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	s.Env["DISPLAY"] = ":0"
	if code, _, errs := s.plimsoll("report", "runs/x", "--open"); code != 0 || errs != "" {
		t.Errorf("code %d: %s", code, errs)
	}
	for !command.Exists(opened) { // the test's own limit ends it
		time.Sleep(5 * time.Millisecond)
	}
	if text, err := os.ReadFile(opened); err != nil || string(text) != page {
		t.Errorf("%s was opened (%v), not %s", text, err, page)
	}
	for _, args := range [][]string{{"report", "runs/x", "--open", "--format", "csv"}, {"report", "runs/x", "--open", "--json"}, {"report", "runs/x", "--open", "-f", "html", "-o", "-"}, {"run", "quickstart", "--open", "--detach"}} {
		if code, _, errs := s.plimsoll(args...); code != command.ExitUsage {
			t.Errorf("%v: code %d: %s", args, code, errs)
		}
	}
}

// Demo is the run of the built-in study, with its errors.
func TestDemoIsTheQuickstart(t *testing.T) {
	s := newSite(t)
	s.Write("file", "")
	code, _, errs := s.plimsoll("demo", "--runs", "file")
	if code != command.ExitCannotRun || !strings.Contains(errs, "choose another place with --runs") {
		t.Errorf("code %d: %s", code, errs)
	}
	if code, _, _ := s.plimsoll("demo", "something"); code != command.ExitUsage {
		t.Errorf("code %d", code)
	}
}
