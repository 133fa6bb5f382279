package supportbundle

import (
	"bytes"
	"os"
	"path/filepath"
	"plimsoll/internal/report/supportbundle/supportbundletest"
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
	files := supportbundletest.Files(t, &packed)
	if cleaned := files["run/trials/a/1/1/audit.json"]; cleaned == "" || cleaned == string(audit) || !strings.Contains(files["run/trials/a/1/1/trial.json"], string(checksum([]byte(cleaned)))) {
		t.Errorf("%s with %s", files["run/trials/a/1/1/trial.json"], cleaned)
	}
}
