package image

import (
	"archive/tar"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// built compiles a program that prints a word.
func built(t *testing.T, env ...string) string {
	t.Helper()
	dir := t.TempDir()
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() { println(\"ahoy\") }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-o", program, source)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// The image of a binary for another architecture says so, and Docker's older
// versions, which read manifest.json alone, find the same image in the archive.
func TestTheImageOfABinaryIsReadByDockerToo(t *testing.T) {
	made, arch, err := Plimsoll(built(t, "CGO_ENABLED=0", "GOARCH=arm64"))
	if err != nil || arch != "arm64" {
		t.Fatalf("architecture %q: %v", arch, err)
	}
	file := filepath.Join(t.TempDir(), "image.tar")
	if err := WriteArchive(file, "plimsoll:1", made); err != nil {
		t.Fatal(err)
	}
	tag, err := name.NewTag("plimsoll:1")
	if err != nil {
		t.Fatal(err)
	}
	back, err := tarball.ImageFromPath(file, &tag)
	if err != nil {
		t.Fatal(err)
	}
	config, err := back.ConfigFile()
	if err != nil || config.Architecture != "arm64" || config.Config.User != User || config.Config.Entrypoint[0] != Binary {
		t.Errorf("configuration %+v: %v", config, err)
	}
	contents := listing(t, tar.NewReader(mutate.Extract(back)))
	for _, want := range []string{"-rwxr-xr-x plimsoll ", "dtrwxrwxrwx tmp "} {
		if !strings.Contains(contents, want) {
			t.Errorf("%q is missing", want)
		}
	}
	index := unpack(t, file)
	text, err := os.ReadFile(filepath.Join(index, "index.json"))
	if err != nil || !strings.Contains(string(text), `"docker.io/library/plimsoll:1"`) {
		t.Errorf("the kubelet does not find it by its name: %s %v", text, err)
	}
}

func TestWhatIsNoStaticProgramIsRefused(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexit 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	shell, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	for program, want := range map[string]string{script: "no program for Linux", shell: "CGO_ENABLED=0"} {
		if _, _, err := Plimsoll(program); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", program, err, want)
		}
	}
}

func TestReferencesOfVersionsAreValid(t *testing.T) {
	for version, want := range map[string]string{
		"v1.2.0": "localhost/plimsoll:v1.2.0", "devel+0123456789ab": "localhost/plimsoll:devel-0123456789ab",
		"v0.0.0-2026+dirty": "localhost/plimsoll:v0.0.0-2026-dirty", "(devel)": "localhost/plimsoll:devel",
	} {
		if got := Reference(version); got != want || CheckReference(got) != nil {
			t.Errorf("%s: %s, want %s: %v", version, got, want, CheckReference(got))
		}
	}
	for _, wrong := range []string{"", "Upper/case:1", "a b", "plimsoll@sha256:abc"} {
		if CheckReference(wrong) == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
	if !strings.Contains(Containerfile(), "FROM scratch\n") {
		t.Error("the Containerfile is not that of an image from scratch")
	}
}
