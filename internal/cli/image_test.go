package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/platform/kubernetes/image"
)

// The image of a static binary is written under the name that was given; of a wrong
// name or a program with libraries, nothing is.
func TestImage(t *testing.T) {
	s := newSite(t)
	program := filepath.Join(s.Dir, "program")
	cmd := exec.Command("go", "build", "-o", program, s.Write("main.go", "package main\n\nfunc main() {}\n"))
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH=arm64")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	code, out, errs := s.plimsoll("image", "--binary", program, "--tag", "registry.example/plimsoll:7", "-o", "made.tar", "--json")
	var made struct{ Reference, Digest, Architecture string }
	if err := json.Unmarshal([]byte(out), &made); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v: %s%s", code, err, out, errs)
	}
	if made.Reference != "registry.example/plimsoll:7" || made.Architecture != "arm64" || !strings.HasPrefix(made.Digest, "sha256:") {
		t.Errorf("%+v", made)
	}
	if info, err := os.Stat("made.tar"); err != nil || info.Size() < 1<<20 {
		t.Errorf("the archive: %v %v", info, err)
	}
	for args, want := range map[string]string{
		"image --binary " + program + " --tag No/Upper:case -o none.tar": "--tag",
		"image --binary /bin/sh -o none.tar":                             "CGO_ENABLED=0",
		"image --binary nowhere -o none.tar":                             "no such file",
		"image --binary " + program + " -o no-such-directory/none.tar":   "no such file or directory",
	} {
		if code, _, errs := s.plimsoll(strings.Fields(args)...); code == 0 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d: %s", args, code, errs)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(s.Dir, ".[ai]*")); len(left) > 0 || command.Exists("none.tar") {
		t.Errorf("left: %v", left)
	}
	if _, out, _ := s.plimsoll("image", "--containerfile"); out != image.Containerfile() {
		t.Errorf("the Containerfile: %s", out)
	}
}
