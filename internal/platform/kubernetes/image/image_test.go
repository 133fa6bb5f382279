package image

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

func example(t *testing.T) Spec {
	t.Helper()
	source := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(source, []byte("program"), 0o600); err != nil {
		t.Fatal(err)
	}
	return Spec{
		Layers: []Layer{
			{{Path: "/tmp", Mode: fs.ModeDir | fs.ModeSticky | 0o777}, {Path: "/bin", Link: "usr/bin"}},
			{{Path: "/usr/bin/program", Source: source, Mode: 0o755}, {Path: "/etc/passwd", Content: []byte("root:x:0:0::/:\n"), Mode: 0o644}},
		},
		Entrypoint: []string{"/usr/bin/program"}, Env: []string{"PATH=/usr/bin"}, User: "65532", Arch: "amd64",
	}
}

// The archive reads back as the image that was written, under the name given.
func TestAnArchiveHoldsTheImage(t *testing.T) {
	made, err := Build(example(t))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "image.tar")
	if err := WriteArchive(file, "plimsoll.test/example:1", made); err != nil {
		t.Fatal(err)
	}
	index, err := layout.ImageIndexFromPath(unpack(t, file))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 {
		t.Fatalf("index %+v: %v", manifest, err)
	}
	if name := manifest.Manifests[0].Annotations["io.containerd.image.name"]; name != "plimsoll.test/example:1" {
		t.Errorf("the image is called %q", name)
	}
	back, err := index.Image(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	config, err := back.ConfigFile()
	if err != nil || config.Config.User != "65532" || config.Architecture != "amd64" {
		t.Errorf("configuration %+v: %v", config, err)
	}
	contents := listing(t, tar.NewReader(mutate.Extract(back)))
	for _, want := range []string{"-rwxr-xr-x usr/bin/program program", "Lrwxrwxrwx bin usr/bin", "dtrwxrwxrwx tmp ", "drwxr-xr-x usr/bin "} {
		if !strings.Contains(contents, want+"\n") {
			t.Errorf("%q is missing from\n%s", want, contents)
		}
	}
}

func TestTheSameFilesGiveTheSameDigest(t *testing.T) {
	var digests []string
	for range 2 {
		made, err := Build(example(t))
		if err != nil {
			t.Fatal(err)
		}
		digest, err := made.Digest()
		if err != nil {
			t.Fatal(err)
		}
		digests = append(digests, digest.String())
	}
	if digests[0] != digests[1] {
		t.Errorf("digests %v", digests)
	}
}

// An archive has nothing of the time, place and person that it was written at, in and by.
func TestTheSameImageGivesTheSameArchive(t *testing.T) {
	made, err := Build(example(t))
	if err != nil {
		t.Fatal(err)
	}
	var archives [2]bytes.Buffer
	for i := range archives {
		if err := Archive(&archives[i], "plimsoll.test/example:1", made); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(archives[0].Bytes(), archives[1].Bytes()) {
		t.Error("two archives of an image differ")
	}
	for r := tar.NewReader(&archives[0]); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.ModTime.Unix() != 0 || h.Uid != 0 || h.Uname != "" || h.Mode != 0o644 && h.Typeflag != tar.TypeDir {
			t.Errorf("%+v", h)
		}
	}
}

func TestBuildRefusesImpossibleFiles(t *testing.T) {
	for want, layer := range map[string]Layer{
		"not an absolute path": {{Path: "usr/bin/x"}},
		"twice":                {{Path: "/x"}, {Path: "/x"}},
		"no directory":         {{Path: "/x"}, {Path: "/x/y"}},
		"no such file":         {{Path: "/x", Source: filepath.Join(t.TempDir(), "none")}},
		"no regular file":      {{Path: "/x", Source: t.TempDir()}},
	} {
		if _, err := Build(Spec{Layers: []Layer{layer}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, not %q", layer, err, want)
		}
	}
}

func unpack(t *testing.T, file string) string {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, h.Name)
		if h.Typeflag == tar.TypeDir {
			continue
		}
		data, err := io.ReadAll(r)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o755)
		}
		if err == nil {
			err = os.WriteFile(to, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func listing(t *testing.T, r *tar.Reader) string {
	t.Helper()
	var out strings.Builder
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(h.FileInfo().Mode().String() + " " + h.Name + " " + h.Linkname + string(data) + "\n")
	}
}
