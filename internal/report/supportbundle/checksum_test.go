package supportbundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that secrets were taken out of has the checksum that the packed trial.json says.
func TestCleanedFilesKeepTheirChecksums(t *testing.T) {
	dir := t.TempDir()
	trial := filepath.Join(dir, "trials", "a", "1", "1")
	audit := []byte(`{"text": "the word is s3cret-word"}`)
	if err := os.MkdirAll(trial, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"audit.json": audit, "trial.json": []byte(`{"checksums": {"audit.json": "` + checksum(audit) + `"}}`)} {
		if err := os.WriteFile(filepath.Join(trial, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shapes := Shapes{
		"audit.json": func() any {
			return &struct {
				Text string `json:"text"`
			}{}
		},
		"trial.json": func() any {
			return &struct {
				Checksums map[string]string `json:"checksums"`
			}{}
		},
	}
	var packed bytes.Buffer
	if _, err := Write(&packed, Options{Dir: dir, Name: "run", Texts: true, Shapes: shapes, Secrets: []string{"s3cret-word"}}); err != nil {
		t.Fatal(err)
	}
	zip, err := gzip.NewReader(&packed)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for in := tar.NewReader(zip); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[filepath.Base(h.Name)], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
	}
	if cleaned := files["audit.json"]; bytes.Equal(cleaned, audit) || !strings.Contains(string(files["trial.json"]), string(checksum(cleaned))) {
		t.Errorf("%s beside %s", files["trial.json"], cleaned)
	}
}
