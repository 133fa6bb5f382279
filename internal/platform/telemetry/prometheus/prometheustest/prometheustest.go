// Package prometheustest runs a real Prometheus, and the programs that it scrapes, for
// tests.
package prometheustest

import (
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"plimsoll/test/quick"
)

// Program starts one that listens on a port of loopback that nobody uses and answers
// /metrics there, and ends it with the test. The test is skipped where it is not
// installed.
func Program(t *testing.T, name string, args func(address string) []string) (address string) {
	t.Helper()
	quick.Skip(t, quick.Servers)
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed: run test/needs", name)
	}
	address = freePort(t)
	cmd := exec.Command(path, args(address)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := os.Create(filepath.Join(t.TempDir(), name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = out, out
	ended := run(t, cmd)
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		if text, _ := os.ReadFile(out.Name()); t.Failed() {
			t.Logf("%s: %s", name, text)
		}
	})
	Await(t, name+" answers", func() bool { return Get("http://"+address+"/metrics") == http.StatusOK })
	return address
}

// run starts a program from a thread that stays until the program has ended: the signal
// of Pdeathsig comes when the thread ends that started it (prctl(2)).
func run(t *testing.T, cmd *exec.Cmd) (ended <-chan struct{}) {
	t.Helper()
	started, done := make(chan error, 1), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(done)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	return done
}

func freePort(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Start starts a Prometheus that asks every second what the YAML list of
// scrape_configs says. url is its own.
func Start(t *testing.T, scrapes string) (url string) {
	t.Helper()
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Skip("promtool is not installed, which comes with prometheus: run test/needs")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "prometheus.yml")
	text := "global: {scrape_interval: 1s}\nscrape_configs:\n" + scrapes
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("promtool", "check", "config", file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	url = "http://" + Program(t, "prometheus", func(address string) []string {
		return []string{"--config.file=" + file, "--storage.tsdb.path=" + filepath.Join(dir, "data"), "--web.listen-address=" + address}
	})
	Await(t, "Prometheus is ready for queries", func() bool { return Get(url+"/-/ready") == http.StatusOK })
	return url
}

// Get gives the status of an answer, 0 without one.
func Get(address string) int {
	r, err := http.Get(address)
	if err != nil {
		return 0
	}
	defer r.Body.Close()
	_, _ = io.Copy(io.Discard, r.Body)
	return r.StatusCode
}

// Await waits until something is so, on a busy machine too.
func Await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !is(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}
