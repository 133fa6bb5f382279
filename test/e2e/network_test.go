package e2e

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"

	"plimsoll/internal/host/namespace"
	"plimsoll/internal/host/thread"
	"plimsoll/internal/result"
)

// netStudy has a place for the settings of the sink.
const netStudy = `study: streams
workload: {name: network, parameters: {message: 16KiB}}
engine: {name: netsink, ENGINE}
storage:
  none: {class: external, text: Nothing is stored}
ladder: {of: users, rungs: [2]}
phases: {warmup: 1s, measure: 2s, ramp_rate: 0}
`

// Streams are driven and audited, whether the sink has a link of its own or is an existing one.
func TestStreams(t *testing.T) {
	t.Parallel()
	t.Run("link", func(t *testing.T) {
		s := newSite(t)
		path := s.write("streams.yaml", replace(netStudy, "ENGINE", `settings: {path: remote, receive_offload: "off", link_rate: 1gbit}`))
		s.plimsoll(0, "run", path, "--name", "first", "--min-grade", "F")
		streamed(t, s.trial("first", "none/2/1"), "netsink", "plimsoll")
		contains(t, strings.Join(s.trial("first", "none/2/1").Notes, " "), "the network is simulated", "limited to 1 Gb/s")
	})
	t.Run("existing", func(t *testing.T) {
		s := newSite(t)
		path := s.write("streams.yaml", replace(netStudy, "ENGINE", `existing: {servers: ["`+sinkOf(t, s)+`"], password_file: `+filepath.Join(s.dir, "token")+`}`))
		s.plimsoll(0, "run", path, "--name", "first", "--min-grade", "F")
		streamed(t, s.trial("first", "none/2/1"), "netsink", "existing")
	})
}

// sinkOf starts a sink by hand, and gives its address.
func sinkOf(t *testing.T, s *site) string {
	t.Helper()
	address, sink := startSink(t, s)
	t.Cleanup(func() {
		_ = sink.Signal(os.Interrupt) // it may have ended
		if state, err := sink.Wait(); err != nil || !state.Success() {
			t.Errorf("the sink ended: %v, %v", state, err)
		}
	})
	return address
}

// startSink starts a sink that the caller ends.
func startSink(t *testing.T, s *site) (address string, sink *os.Process) {
	t.Helper()
	token := filepath.Join(s.dir, "token")
	if err := os.WriteFile(token, []byte("a secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := s.command("sink", "--listen", "127.0.0.1:0", "--token-file", token)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() }) // it may have ended
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return line[strings.LastIndex(line, " ")+1 : len(line)-1], cmd.Process
}

func streamed(t *testing.T, trial *result.Trial, engine, source string) {
	t.Helper()
	if trial.Status != result.Passed || !trial.Audit.Passed || trial.Audit.Acknowledged == 0 || trial.Throughput() <= 0 {
		t.Errorf("%s: %+v, audit %+v", trial.Status, trial.Failure, trial.Audit)
	}
	if len(trial.Servers) != 1 || trial.Servers[0].Name != engine || trial.Servers[0].Source != source {
		t.Errorf("servers are %+v", trial.Servers)
	}
	contains(t, trial.Audit.Source, "both ends")
}

// Whoever could be reached by others needs a token, and a study that nobody could mean is
// refused before anything runs.
func TestSinksAreRefused(t *testing.T) {
	s := newSite(t)
	_, errs := s.plimsoll(2, "sink", "--listen", "0.0.0.0:0")
	contains(t, errs, "--token-file is required")
	path := s.write("streams.yaml", replace(netStudy, "ENGINE", `settings: {receive_offload: "off"}`))
	_, errs = s.plimsoll(3, "run", path)
	contains(t, errs, "interfaces are the machine's", "set path to remote or local")
	path = s.write("streams.yaml", replace(netStudy, "ENGINE", `existing: {servers: ["127.0.0.1:5201/shop"], user: me}`))
	_, errs = s.plimsoll(2, "run", path)
	contains(t, errs, "is not host:port", "no user")
}

// oneLink leaves one variant of the shipped study, on a virtual link.
const oneLink = "matrix={engine.settings.path: [remote], engine.settings.receive_offload: ['off']}"

// A sink that is killed while streams are measured fails its trial alone, whatever its
// streams go over, and the virtual link is gone by the end of the run.
func TestSinkKilledUnderStreams(t *testing.T) {
	t.Parallel()
	streams := replace(netStudy, "rungs: [2]", "rungs: [1, 2]", "measure: 2s", "measure: 15s")
	for name, settings := range map[string]string{"link": "path: remote, link_rate: 1gbit", "direct": "path: direct"} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			b := s.start("run", s.write("streams.yaml", replace(streams, "ENGINE", "settings: {"+settings+"}")), "--name", "killed", "--min-grade", "F", "--json")
			b.until("the measured phase has begun", b.measuring)
			gone := s.killSink("killed", name == "link")
			if code := b.wait(); code != 4 {
				t.Fatalf("exit code %d\n%s", code, &b.out)
			}
			gone()
			first, second := s.trial("killed", "none/1/1"), s.trial("killed", "none/2/1")
			if first.Status != result.Failed || first.Failure.Stage != "drive" {
				t.Fatalf("first trial: %s, %+v", first.Status, first.Failure)
			}
			contains(t, first.Failure.Cause, "sink-000", "killed")
			if second.Status != result.Passed {
				t.Errorf("second trial: %+v", second.Failure)
			}
			if left := s.leftovers("killed"); len(left) > 0 {
				t.Errorf("left by the run: %v", left)
			}
		})
	}
}

// An existing sink that is killed is not seen by the platform: that no stream ends in
// good order tells.
func TestSinkOfOthersKilledUnderStreams(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	address, sink := startSink(t, s)
	path := s.write("streams.yaml", replace(netStudy, "measure: 2s", "measure: 15s",
		"ENGINE", `existing: {servers: ["`+address+`"], password_file: `+filepath.Join(s.dir, "token")+`}`))
	b := s.start("run", path, "--name", "killed", "--min-grade", "F", "--json")
	b.until("the measured phase has begun", b.measuring)
	if err := sink.Kill(); err != nil {
		t.Fatal(err)
	}
	if code := b.wait(); code != 4 {
		t.Fatalf("exit code %d\n%s", code, &b.out)
	}
	trial := s.trial("killed", "none/2/1")
	if trial.Status != result.Failed {
		t.Fatalf("%s: %+v", trial.Status, trial.Failure)
	}
	contains(t, trial.Failure.Cause, "no user could begin another", "the sink has ended")
}

// After kill -9 of plimsoll itself, amid a shipped study, clean ends its sinks and
// drivers, and with them goes their link.
func TestKillNineUnderStreams(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.start("run", "receive-offload", "--profile", "laptop", "--set", oneLink, "--set", "phases.measure=60s", "--name", "nine", "--json")
	b.until("the measured phase has begun", b.measuring)
	gone := s.watchSink("nine", true)
	b.signal(syscall.SIGKILL)
	b.wait()
	out, _ := s.plimsoll(0, "clean", s.run("nine"))
	contains(t, out, "Nothing is left")
	if left := s.leftovers("nine"); len(left) > 0 {
		t.Errorf("clean left: %v", left)
	}
	gone()
}

// killSink kills the sink of a run; see watchSink.
func (s *site) killSink(run string, linked bool) (gone func()) {
	s.t.Helper()
	gone = s.watchSink(run, linked)
	for _, p := range s.sinks(run) {
		if err := syscall.Kill(p, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			s.t.Fatal(err) // the one that is in a user namespace ends with the other
		}
	}
	return gone
}

// sinks are the processes of a run's only sink.
func (s *site) sinks(run string) (all []int) {
	s.t.Helper()
	for _, p := range s.processes(run) {
		if strings.HasSuffix(p.Object, "sink-000") {
			all = append(all, p.PID)
		}
	}
	if len(all) == 0 {
		s.t.Fatalf("no sink among %v", s.processes(run))
	}
	return all
}

// watchSink gives a function that waits until all network namespaces of a run's sink are gone, and
// with them the virtual interfaces. They have no names, and whoever holds one open keeps
// it; so a cable is led into each from a namespace of the test's, whose other end goes with them.
func (s *site) watchSink(run string, linked bool) (gone func()) {
	s.t.Helper()
	if !linked {
		return func() {}
	}
	if os.Geteuid() != 0 {
		s.t.Skip("watching the namespaces of a sink needs root")
	}
	watch := s.watchNamespace()
	ends := 0
	for path := range s.namespacesOf(run) {
		theirs, err := netns.GetFromPath(path)
		if err != nil {
			s.t.Fatal(err)
		}
		err = lead(watch, theirs, ends)
		if err := errors.Join(err, theirs.Close()); err != nil {
			s.t.Fatal(err)
		}
		ends++
	}
	if ends != 2 {
		s.t.Fatalf("the sink has %d network namespaces of its own, want both ends of a link", ends)
	}
	return func() { s.t.Helper(); s.untilAlone(watch) }
}

// namespacesOf are paths to the network namespaces that a run's sink has open, one for each.
func (s *site) namespacesOf(run string) map[string]bool {
	paths, seen := map[string]bool{}, map[string]bool{}
	for _, pid := range s.sinks(run) {
		open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		for _, path := range open {
			if to, err := os.Readlink(path); err == nil && strings.HasPrefix(to, "net:[") && !seen[to] {
				paths[path], seen[to] = true, true
			}
		}
	}
	return paths
}

// watches counts the namespaces that tests watch others from.
var watches atomic.Int64

// watchNamespace makes a network namespace of the test's.
func (s *site) watchNamespace() netns.NsHandle {
	name := fmt.Sprintf("e2e-%d-watch-%d", os.Getpid(), watches.Add(1))
	if err := namespace.Make(name); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if _, err := namespace.Remove(name); err != nil {
			s.t.Error(err)
		}
	})
	ns, err := netns.GetFromPath(namespace.Path(name))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { ns.Close() })
	return ns
}

// lead makes a pair of virtual interfaces from one namespace to another.
func lead(from, to netns.NsHandle, number int) error {
	return within(from, func(h *netlink.Handle) error {
		a := netlink.NewLinkAttrs()
		a.Name = fmt.Sprintf("watch%d", number)
		return h.LinkAdd(&netlink.Veth{LinkAttrs: a, PeerName: "watched", PeerNamespace: netlink.NsFd(to)})
	})
}

// untilAlone waits until a namespace has no interface but its own loopback.
func (s *site) untilAlone(ns netns.NsHandle) {
	s.t.Helper()
	var left []netlink.Link
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		err := within(ns, func(h *netlink.Handle) (err error) { left, err = h.LinkList(); return err })
		if err != nil {
			s.t.Fatal(err)
		}
		if len(left) == 1 {
			return
		}
	}
	s.t.Errorf("%d namespaces of the sink are still there", len(left)-1)
}

// within acts in a network namespace.
func within(ns netns.NsHandle, do func(*netlink.Handle) error) error {
	return thread.Spare(func() error {
		if err := netns.Set(ns); err != nil {
			return err
		}
		h, err := netlink.NewHandle()
		if err != nil {
			return err
		}
		defer h.Close()
		return do(h)
	})
}
