package postgres

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"plimsoll/internal/app/fetch"
)

// The archive of each version that can be fetched is known by its digest, for the
// architectures that are built; another archive is not unpacked, whoever serves it.
func TestOnlyTheKnownArchiveIsUsed(t *testing.T) {
	for v := oldest; v <= newest; v++ {
		for _, build := range []string{"amd64", "amd64-alpine"} {
			if sum := releases[v].sums[build]; len(sum) != 64 {
				t.Errorf("PostgreSQL %d for %s: digest %q", v, build, sum)
			}
		}
	}
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		_, _ = w.Write([]byte("another archive"))
	}))
	defer server.Close()
	real := repository
	repository = server.URL
	defer func() { repository = real }()
	cache := t.TempDir()
	t.Setenv(fetch.CacheVariable, cache)
	_, err := embedded(t.Context(), "17")
	if err == nil || releases[17].sums[build()] != "" && !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("another archive: %v", err)
	}
	for _, path := range asked {
		if strings.HasSuffix(path, ".sha256") {
			t.Errorf("who serves the archive was asked for its digest: %s", path)
		}
	}
	left, err := os.ReadDir(cache)
	if err != nil || len(left) != 1 || !strings.HasSuffix(left[0].Name(), ".lock") {
		t.Errorf("left: %v, %v", left, err)
	}
}
