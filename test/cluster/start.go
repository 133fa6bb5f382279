package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"plimsoll/test/quick"
)

// Start gives a test a cluster, which ends with it. Where none can be run, the test
// is skipped with the reason. When the test has failed, the logs of the cluster's
// programs are shown in part. As many tests of a machine have a cluster at once as it has
// memory for, the others wait: a package calls either Start or Shared.
func Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	quick.Skip(t, quick.Cluster)
	if err := Missing(); err != nil {
		t.Skip(err)
	}
	if o.Say == nil {
		o.Say = func(line string) { t.Log(line) }
	}
	c, err := Up(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			c.showLogs(t)
		}
		if err := c.Down(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// shownVariable names the environment variable that says how many bytes of each log
// are shown. Few are unless it is set: what the test said itself must be easy to find.
const shownVariable = "PLIMSOLL_CLUSTER_LOGS"

// showLogs shows the ends of the logs.
func (c *Cluster) showLogs(t testing.TB) {
	shown, err := strconv.Atoi(os.Getenv(shownVariable))
	if err != nil || shown < 0 {
		shown = 500
	}
	logs, _ := filepath.Glob(filepath.Join(c.Directory(), "log", "*.log")) // the pattern is well-formed
	for _, log := range append(logs, filepath.Join(c.Directory(), "node.log")) {
		text, _ := os.ReadFile(log)
		t.Logf("%s ends with (%s=BYTES shows more):\n%s", filepath.Base(log), shownVariable, text[max(0, len(text)-shown):])
	}
}

// shared is the cluster of all tests of this process.
var shared struct {
	sync.Mutex
	main    bool // Main runs
	cluster *Cluster
	err     error
	used    map[string]bool // by name, the running tests that show the logs once when they fail
}

// Main runs a package's tests and then ends the cluster that they shared:
//
//	func TestMain(m *testing.M) { os.Exit(cluster.Main(m)) }
func Main(m *testing.M) (code int) {
	shared.main = true
	code = m.Run()
	if shared.cluster == nil {
		return code
	}
	if err := shared.cluster.Down(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}

// Shared gives the cluster of all tests of the package, which the first of them
// starts. Each test makes namespaces of its own. Where none can be run, the test is
// skipped with the reason. The package has Main as its TestMain.
func Shared(t testing.TB) *Cluster {
	t.Helper()
	quick.Skip(t, quick.Cluster)
	if err := Missing(); err != nil {
		t.Skip(err)
	}
	shared.Lock()
	defer shared.Unlock()
	if !shared.main {
		t.Fatal("the package has no TestMain that calls cluster.Main, which ends the cluster")
	}
	if shared.cluster == nil && shared.err == nil {
		// It outlives this test, and so does its context.
		shared.used = map[string]bool{}
		shared.cluster, shared.err = Up(context.Background(), Options{Say: func(line string) { t.Log(line) }})
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	if !shared.used[t.Name()] {
		shared.used[t.Name()] = true
		t.Cleanup(func() {
			shared.Lock()
			delete(shared.used, t.Name())
			shared.Unlock()
			if t.Failed() {
				shared.cluster.showLogs(t)
			}
		})
	}
	return shared.cluster
}
