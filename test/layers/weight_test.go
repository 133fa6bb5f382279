package layers

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// mostPackages bounds how many packages the program compiles, including Go's own: a new user
// waits for all of them before the first answer.
const mostPackages = 1000

// unwanted is what the program does not compile, by the beginning of its import path, and why.
var unwanted = map[string]string{
	"github.com/chromedp":                              "drives the browser of tests",
	"github.com/google/licensecheck":                   "reads licences in tests",
	"go.uber.org/goleak":                               "looks for leaks in tests",
	"pgregory.net/rapid":                               "makes the inputs of tests",
	"net/http/httptest":                                "serves tests",
	"plimsoll/test":                                    "are tests",
	"k8s.io/client-go/testing":                         "is the ground of its fakes",
	"k8s.io/client-go/kubernetes":                      "compiles all API groups: read objects by cluster/kube",
	"k8s.io/client-go/informers":                       "compiles all API groups: follow objects by tools/cache",
	"k8s.io/client-go/discovery":                       "compiles all API groups: ask the API server for one",
	"k8s.io/client-go/applyconfigurations":             "compiles all API groups: apply objects by cluster/kube",
	"google.golang.org/grpc":                           "is a protocol that nothing here speaks",
	"sigs.k8s.io/sig-storage-lib-external-provisioner": "makes volumes in the cluster of tests",
}

// notWanted says why a package should not be in the program; empty is no reason.
func notWanted(path string) string {
	if strings.HasPrefix(path, "plimsoll/") && strings.HasSuffix(path, "test") {
		return "helps tests"
	}
	for prefix, why := range unwanted {
		if path == prefix || strings.HasPrefix(path, prefix+"/") {
			return why
		}
	}
	return ""
}

func TestTheProgramStaysLight(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "plimsoll/cmd/plimsoll").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	all := strings.Fields(string(out))
	if !slices.Contains(all, "plimsoll/cmd/plimsoll") {
		t.Fatalf("the program is not among its %d packages", len(all))
	}
	if len(all) > mostPackages {
		t.Errorf("the program compiles %d packages: leave out what brought the last of them, or do without it, so that it stays at %d; go list -deps ./cmd/plimsoll shows them", len(all), mostPackages)
	}
	for _, path := range all {
		if why := notWanted(path); why != "" {
			t.Errorf("the program compiles %s, which %s", path, why)
		}
	}
}

func TestNotWanted(t *testing.T) {
	for path, want := range map[string]bool{
		"github.com/chromedp/chromedp": true, "google.golang.org/grpc": true, "k8s.io/client-go/kubernetes/scheme": true,
		"plimsoll/internal/conformance/platformtest": true, "plimsoll/test/cluster": true,
		"k8s.io/client-go/dynamic": false, "google.golang.org/grpcx": false, "plimsoll/internal/platform": false, "testing": false, "example/latest": false,
	} {
		if got := notWanted(path) != ""; got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}
