package cluster

import (
	"os"
	"path/filepath"
	"testing"
)

// Start gives a test a cluster, which ends with it. Where none can be run, the test
// is skipped with the reason. When the test has failed, the logs of the cluster's
// programs are shown in part.
func Start(t testing.TB, o Options) *Cluster {
	t.Helper()
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

// showLogs shows the ends of the logs.
func (c *Cluster) showLogs(t testing.TB) {
	logs, _ := filepath.Glob(filepath.Join(c.Directory(), "log", "*.log")) // the pattern is well-formed
	for _, log := range append(logs, filepath.Join(c.Directory(), "node.log")) {
		text, _ := os.ReadFile(log)
		t.Logf("%s ends with:\n%s", filepath.Base(log), text[max(0, len(text)-10000):])
	}
}
