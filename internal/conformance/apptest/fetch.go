package apptest

import (
	"os"
	"testing"

	"plimsoll/internal/app/fetch"
)

// FetchVariable names the environment variable that has tests fetch engines,
// which takes up to 150 MB from the network.
const FetchVariable = "PLIMSOLL_TEST_FETCH"

// Fetching skips a test unless fetching was requested, and directs its downloads to a
// temporary cache instead of the user's.
func Fetching(t *testing.T) {
	if os.Getenv(FetchVariable) == "" {
		t.Skipf("fetches an engine from the network: set %s=1 to run it", FetchVariable)
	}
	dir, err := os.MkdirTemp("", "plimsoll-engines-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(fetch.CacheVariable, dir)
}
