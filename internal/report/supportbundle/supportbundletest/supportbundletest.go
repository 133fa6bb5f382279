// Package supportbundletest looks into archives for tests.
package supportbundletest

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"testing"
)

// Files are the files of a compressed tar by name.
func Files(t *testing.T, archive io.Reader) map[string]string {
	t.Helper()
	zip, err := gzip.NewReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for in := tar.NewReader(zip); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		all[h.Name] = string(text)
	}
}
