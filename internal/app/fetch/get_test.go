package fetch

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Who serves an archive may serve another one, and a digest to match: neither counts.
func TestOnlyWhatIsKnownIsKept(t *testing.T) {
	content := []byte("an archive")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/missing" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(content)
	}))
	defer server.Close()
	known := sha256.Sum256(content)
	sum := hex.EncodeToString(known[:])
	path := filepath.Join(t.TempDir(), "archive")
	if err := Get(t.Context(), server.URL+"/missing", sum, path); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("missing: %v", err)
	}
	if err := Get(t.Context(), server.URL, sum, path); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	content = []byte("another archive")
	if err := Get(t.Context(), server.URL, sum, path); err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("another archive: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("another archive was kept")
	}
}

// tarOf is a tar; each file in it has one byte.
func tarOf(t *testing.T, headers ...tar.Header) *bytes.Buffer {
	t.Helper()
	var plain bytes.Buffer
	w := tar.NewWriter(&plain)
	for _, h := range headers {
		if h.Typeflag == tar.TypeReg {
			h.Size = 1
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			_, _ = w.Write([]byte("x"))
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &plain
}

// compressed makes an archive with the machine's own xz.
func compressed(t *testing.T, headers ...tar.Header) *bytes.Buffer {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command("xz", "-c")
	cmd.Stdin, cmd.Stdout = tarOf(t, headers...), &out
	if err := cmd.Run(); err != nil {
		t.Skip("the program xz is not installed: ", err)
	}
	return &out
}

func TestUntarXZ(t *testing.T) {
	into := t.TempDir()
	err := UntarXZ(compressed(t,
		tar.Header{Name: "./bin/server", Typeflag: tar.TypeReg, Mode: 0o4777},
		tar.Header{Name: "lib/", Typeflag: tar.TypeDir, Mode: 0o777},
		tar.Header{Name: "lib/a.so", Typeflag: tar.TypeSymlink, Linkname: "../bin/server"}), into)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(into, "lib/a.so"))
	if err != nil || info.Mode() != 0o755 || info.Size() != 1 {
		t.Errorf("%v, %v", info, err)
	}
	outside := t.TempDir()
	for name, headers := range map[string][]tar.Header{
		"a way out":        {{Name: "../evil", Typeflag: tar.TypeReg, Mode: 0o644}},
		"an absolute link": {{Name: "l", Typeflag: tar.TypeSymlink, Linkname: outside}, {Name: "l/evil", Typeflag: tar.TypeReg, Mode: 0o644}},
		"a link out":       {{Name: "d/l", Typeflag: tar.TypeSymlink, Linkname: "../../x"}},
		"a device":         {{Name: "null", Typeflag: tar.TypeChar, Mode: 0o666, Devmajor: 1, Devminor: 3}},
	} {
		if err := UntarXZ(compressed(t, headers...), t.TempDir()); err == nil {
			t.Errorf("%s was unpacked", name)
		}
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("outside: %v, %v", left, err)
	}
}

func zipped(t *testing.T, headers ...tar.Header) *bytes.Buffer {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := tarOf(t, headers...).WriteTo(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &out
}

func TestHardLinksStayWithinTheDirectory(t *testing.T) {
	into := t.TempDir()
	file := tar.Header{Name: "a/x.jar", Typeflag: tar.TypeReg, Mode: 0o644}
	if err := UntarGZ(zipped(t, file, tar.Header{Name: "b/x.jar", Typeflag: tar.TypeLink, Linkname: "a/x.jar"}), into); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(into, "b/x.jar")); err != nil || string(text) != "x" {
		t.Errorf("%q, %v", text, err)
	}
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{outside, "../secret", "missing"} {
		if err := UntarGZ(zipped(t, tar.Header{Name: "link", Typeflag: tar.TypeLink, Linkname: to}), t.TempDir()); err == nil {
			t.Errorf("a link to %s was made", to)
		}
	}
	if err := UntarGZ(strings.NewReader("no archive"), into); err == nil {
		t.Error("a text was unpacked")
	}
}
