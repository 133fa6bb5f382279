package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/study"
)

func TestVirtualMachinesAreRefusedByWhatIsMissing(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	absent, file := filepath.Join(dir, "absent"), write("file", "")
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"no device":       {kvmMissing(absent), "there is no " + absent},
		"another device":  {kvmMissing(file), "is not KVM"},
		"plain processor": {extensionsMissing(write("plain", "processor : 0\nflags : fpu vme\n")), "neither vmx nor svm"},
		"intel":           {extensionsMissing(write("intel", "flags\t: fpu vmx\n")), ""},
		"amd":             {extensionsMissing(write("amd", "flags\t: svm fpu\n")), ""},
		"here":            {Kind{}.Deploys(t.Context(), study.VM), " "},
		"misspelt":        {Kind{}.Deploys(t.Context(), "pod"), "unknown deployment"},
	} {
		got := ""
		if c.err != nil {
			got = c.err.Error()
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestOutermost(t *testing.T) {
	got := outermost([]string{"/tmp/run/7", "/srv/volume", "/dev/shm/v", "/tmp/run/7/x", "", installed("/tmp/cache/bin/postgres"), installed("/usr/bin/x"), installed("/tmp/x")})
	if strings.Join(got, " ") != "/dev/shm/v /tmp/cache /tmp/run/7" {
		t.Errorf("kept %q", got)
	}
}
