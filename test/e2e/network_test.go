package e2e

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

// Streams are driven and audited, whether the sink has a link of its own or is somebody's.
func TestStreams(t *testing.T) {
	t.Run("link", func(t *testing.T) {
		s := newSite(t)
		path := s.write("streams.yaml", replace(netStudy, "ENGINE", `settings: {path: remote, receive_offload: "off", link_rate: 1gbit}`))
		s.plimsoll(0, "run", path, "--name", "first", "--min-grade", "F")
		streamed(t, s.trial("first", "none/2/1"), "netsink", "plimsoll")
		contains(t, strings.Join(s.trial("first", "none/2/1").Notes, " "), "the network is simulated", "limited to 1 Gb/s")
	})
	t.Run("somebody's", func(t *testing.T) {
		s := newSite(t)
		path := s.write("streams.yaml", replace(netStudy, "ENGINE", `existing: {servers: ["`+sinkOf(t, s)+`"], password_file: `+filepath.Join(s.dir, "token")+`}`))
		s.plimsoll(0, "run", path, "--name", "first", "--min-grade", "F")
		streamed(t, s.trial("first", "none/2/1"), "netsink", "existing")
	})
}

// sinkOf starts a sink by hand, and gives its address.
func sinkOf(t *testing.T, s *site) string {
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
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt) // it may have ended
		if err := cmd.Wait(); err != nil {
			t.Errorf("the sink ended: %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return line[strings.LastIndex(line, " ")+1 : len(line)-1]
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
