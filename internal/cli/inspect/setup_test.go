package inspect

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/command/commandtest"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/study"
)

// lacking is a kind that misses what its checks say.
type lacking []doctor.Check

func (l lacking) Checks(context.Context) []doctor.Check { return l }

func (lacking) Programs() []doctor.Program { return nil }

func missing(name, debian, fedora string) doctor.Check {
	return doctor.Check{Name: name, Status: doctor.Warn, Found: "not installed"}.By(doctor.Packages{Debian: debian, Fedora: fedora})
}

// fakeManager is a directory with a package manager alone, which notes its arguments and
// ends with a code.
func fakeManager(t *testing.T, name string, code string) (noted string) {
	t.Helper()
	dir := t.TempDir()
	noted = filepath.Join(dir, "noted")
	script := "#!/bin/sh\necho \"$DEBIAN_FRONTEND $@\" > " + noted + "\nexit " + code + "\n"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	return noted
}

func TestSetupSaysTheOneCommand(t *testing.T) {
	checks := []doctor.Checker{
		lacking{missing("A", "a-server a-tools", "a"), {Name: "B", Status: doctor.OK, Fetches: "B 1.0 (12 MB)"}},
		lacking{missing("C", "a-tools c", "c"), {Name: "root", Status: doctor.Warn, Found: "no root", Means: "no media", Fix: "sudo"}, {Name: "D", Status: doctor.OK}},
	}
	fakeManager(t, "apt-get", "0")
	n := needsOf(t.Context(), checks)
	if got := strings.Join(n.install, " "); got != "apt-get install a-server a-tools c" {
		t.Errorf("%q", got)
	}
	if os.Geteuid() != 0 != strings.HasPrefix(n.Command, "sudo ") {
		t.Errorf("uid %d: %s", os.Geteuid(), n.Command)
	}
	s := commandtest.New(t)
	var out bytes.Buffer
	state := s.State()
	state.Stdout = &out
	if code := exitCodeOf(installMissing(state, "x", func() needs { return n }, false)); code != command.ExitCannotRun {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"x lacks A and C", "apt-get install a-server a-tools c", "downloads B 1.0 (12 MB)", "root: no root; no media", "fix: sudo"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	// Near misses: nothing is missing, and a check that is fixed by a download or a repair is no
	// package.
	out.Reset()
	n = needsOf(t.Context(), []doctor.Checker{lacking{doctor.Check{Name: "B", Status: doctor.Warn, Fetches: "B 1.0 (12 MB)"}.By(doctor.Packages{Debian: "b"}), {Name: "D", Status: doctor.OK}}})
	if err := installMissing(state, "x", func() needs { return n }, true); err != nil || !strings.Contains(out.String(), "No package is missing for x") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func exitCodeOf(err error) int {
	if code, silent := command.SilentCode(err); silent {
		return code
	}
	return command.ExitCode(err)
}

func TestSetupInstalls(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("installing packages takes root")
	}
	t.Setenv("DEBIAN_FRONTEND", "dialog")
	all := []doctor.Checker{lacking{missing("A", "a", "a-of-fedora")}}
	s := commandtest.New(t)
	for manager, want := range map[string]string{"apt-get": "install -y a", "dnf": "install -y a-of-fedora"} {
		noted := fakeManager(t, manager, "0")
		looks := 0
		look := func() needs {
			if looks++; looks > 1 {
				return needs{}
			}
			return needsOf(t.Context(), all)
		}
		if err := installMissing(s.State(), "x", look, true); err != nil || looks != 2 {
			t.Errorf("%s: %v after %d looks", manager, err, looks)
		}
		if got, err := os.ReadFile(noted); err != nil || strings.TrimSpace(string(got)) != "noninteractive "+want {
			t.Errorf("%s was called with %q (%v)", manager, got, err)
		}
	}
	fakeManager(t, "apt-get", "100")
	err := installMissing(s.State(), "x", func() needs { return needsOf(t.Context(), all) }, true)
	if command.ExitCode(err) != command.ExitCannotRun || !strings.Contains(err.Error(), "exit status 100") {
		t.Errorf("a manager that fails: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	err = installMissing(s.State(), "x", func() needs { return needsOf(t.Context(), all) }, true)
	if command.ExitCode(err) != command.ExitCannotRun || !strings.Contains(command.Hint(err), "install the package a with this system's package manager") {
		t.Errorf("no manager: %v, %s", err, command.Hint(err))
	}
}

// Only the kinds of the study are looked at, and an existing server is not installed.
func TestSetupLooksAtTheStudysKinds(t *testing.T) {
	names := func(text string) (all []string) {
		t.Helper()
		st, err := study.Parse("x.yaml", []byte(text), "", facts.Vocabulary(registry.Parts()))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range checkersOf(st) {
			for _, check := range c.Checks(t.Context()) {
				all = append(all, check.Name)
			}
		}
		return all
	}
	if got := names(commandtest.Small); !slices.Contains(got, "MariaDB") || slices.Contains(got, "PostgreSQL") || slices.Contains(got, "Ceph") {
		t.Errorf("%q", got)
	}
	disk := strings.Replace(commandtest.Small, "{class: directory, path: memory}", "{class: disk, media: hdd-7200, size: 1GiB, image: memory}", 1)
	if got := names(disk); !slices.Contains(got, "file system tools") {
		t.Errorf("%q", got)
	}
}

// A plain user is never asked for a password: sudo is taken where it needs none.
func TestInstallingAsAPlainUser(t *testing.T) {
	t.Setenv("DEBIAN_FRONTEND", "")
	line := []string{"apt-get", "install", "a"}
	for _, c := range []struct {
		sudo, code string
		user       int
		want, says string
	}{
		{"sudo", "0", 1000, "/sudo -n env DEBIAN_FRONTEND=noninteractive apt-get install a", ""},
		{"sudo", "1", 1000, "", "without a password"},
		{"sudo", "1", 0, "apt-get install a", ""}, // who is root needs none
	} {
		noted := fakeManager(t, c.sudo, c.code)
		got, err := asRoot(t.Context(), c.user, line)
		if text := strings.Join(got, " "); !strings.HasSuffix(text, c.want) || c.want == "" != (err != nil) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %q, %v", c, text, err)
		}
		if asked, _ := os.ReadFile(noted); c.user != 0 != (string(asked) == " -n true\n") { // nothing is noted where nothing was asked
			t.Errorf("%+v: sudo was asked %q", c, asked)
		}
	}
}
