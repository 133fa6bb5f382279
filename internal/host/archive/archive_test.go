package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/test/quick"
)

// example is a directory with the kinds of files of a run directory or a volume.
func example(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	for name, text := range map[string]string{"journal.jsonl": "{}\n", "trials/hdd/4/1/trial.json": strings.Repeat("x", 1<<20), "trials/hdd/4/1/empty": ""} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("journal.jsonl", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "trials/hdd/4/1"), 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "trials/hdd/4/1"), 0o700) })
	return dir
}

// listing lists a directory, with modes and times.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		fmt.Fprintf(&all, "%s %s", name, info.Mode())
		switch info.Mode().Type() {
		case 0:
			text, err := os.ReadFile(path)
			fmt.Fprintf(&all, " %d %x %v", info.ModTime().UnixNano(), text[:min(len(text), 10)], err)
		case fs.ModeSymlink:
			to, _ := os.Readlink(path)
			all.WriteString(" -> " + to)
		}
		all.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func TestWhatIsSentArrives(t *testing.T) {
	from, to := example(t), filepath.Join(t.TempDir(), "to")
	var stream bytes.Buffer
	if err := Write(t.Context(), &stream, from); err != nil {
		t.Fatal(err)
	}
	if err := Read(&stream, to); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(to, "trials/hdd/4/1"), 0o700) })
	if want, got := listing(t, from), listing(t, to); want != got {
		t.Errorf("sent:\n%s\narrived:\n%s", want, got)
	}
}

// Wherever a stream ends early, that is an error, and nothing is left.
func TestAStreamThatBreaksIsNotTakenForWhole(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	var stream bytes.Buffer
	if err := Write(t.Context(), &stream, example(t)); err != nil {
		t.Fatal(err)
	}
	whole := stream.Bytes()
	for cut := 0; cut < len(whole); cut += 1 + len(whole)/100 {
		to := filepath.Join(t.TempDir(), "to")
		if err := Read(bytes.NewReader(whole[:cut]), to); err == nil || !strings.Contains(err.Error(), "broken off") {
			t.Fatalf("cut after %d of %d bytes: %v", cut, len(whole), err)
		}
		if _, err := os.Stat(to); err == nil {
			t.Fatalf("cut after %d bytes: something is left", cut)
		}
	}
}

func TestNothingIsWrittenOutside(t *testing.T) {
	for _, entries := range [][]tar.Header{
		{{Name: "../x", Typeflag: tar.TypeReg}},
		{{Name: "/tmp/x", Typeflag: tar.TypeReg}},
		{{Name: "out", Linkname: "..", Typeflag: tar.TypeSymlink}, {Name: "out/x", Typeflag: tar.TypeReg}},
		{{Name: "device", Typeflag: tar.TypeBlock}},
		{{Name: "out", Linkname: "../x", Typeflag: tar.TypeSymlink}},
		{{Name: "out", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink}},
		{{Name: "name", Linkname: "/etc/passwd", Typeflag: tar.TypeLink}},
	} {
		var stream bytes.Buffer
		zip := gzip.NewWriter(&stream)
		w := tar.NewWriter(zip)
		for _, h := range entries {
			h.Mode = 0o600
			if err := w.WriteHeader(&h); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		_ = zip.Close()
		dir := t.TempDir()
		if err := Read(&stream, filepath.Join(dir, "to")); err == nil {
			t.Errorf("%s is accepted", entries[len(entries)-1].Name)
		}
		if left, _ := filepath.Glob(dir + "/*"); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
}

func TestReadWantsANewDirectory(t *testing.T) {
	if err := Read(strings.NewReader(""), t.TempDir()); err == nil {
		t.Error("a directory that is there is written to")
	}
	if err := Write(t.Context(), io.Discard, filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a directory that is not there is sent")
	}
}

// made is a stream with entries that Write would not write.
func made(t *testing.T, entries ...tar.Header) *bytes.Buffer {
	t.Helper()
	var stream bytes.Buffer
	zip := gzip.NewWriter(&stream)
	w := tar.NewWriter(zip)
	for _, h := range entries {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = w.Close(), zip.Close() // a file may be shorter than it says
	return &stream
}

func TestFilesThatArriveHaveNoSpecialBits(t *testing.T) {
	to := filepath.Join(t.TempDir(), "to")
	if err := Read(made(t, tar.Header{Name: "program", Mode: 0o6755, Typeflag: tar.TypeReg}), to); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(to + "/program"); err != nil || info.Mode() != 0o755 {
		t.Errorf("%v, %v", info, err)
	}
}

// A stream does not fill the file system, and nothing is left of one that would.
func TestAStreamThatIsTooLargeIsRefused(t *testing.T) {
	to := filepath.Join(t.TempDir(), "to")
	err := Read(made(t, tar.Header{Name: "huge", Mode: 0o600, Size: 1 << 60, Typeflag: tar.TypeReg}), to)
	if err == nil || !strings.Contains(err.Error(), "has room for") {
		t.Errorf("it is taken: %v", err)
	}
	if _, err := os.Lstat(to); err == nil {
		t.Error("something is left")
	}
}

// A link by the full path into the directory leads there still.
func TestAbsoluteLinksInsideArrive(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "to")
	var stream bytes.Buffer
	for _, err := range []error{
		os.Mkdir(from+"/sub", 0o755), os.WriteFile(from+"/file", []byte("x"), 0o600), os.Symlink(from+"/file", from+"/sub/link"),
		Write(t.Context(), &stream, from), Read(&stream, to),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if link, err := os.Readlink(to + "/sub/link"); err != nil || link != "../file" {
		t.Errorf("it leads to %q, %v", link, err)
	}
}
