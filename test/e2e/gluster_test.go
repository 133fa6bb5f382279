package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"plimsoll/internal/result"
	"plimsoll/internal/storage/devicepool"
	"plimsoll/internal/storage/gluster"
	"plimsoll/test/nightly"
)

// onPool is a study on the smallest pool that there is; DISK is replaced.
const onPool = `study: onpool
workload: {name: dvdstore, parameters: {size: 10MB}}
engine: {name: postgres, memory: 256MiB}
storage:
  pool: {class: gluster, peers: 3, geometry: replica 3, disk: {media: ssd-sas, size: 2GiB}}
ladder: [1]
phases: {warmup: 1s, measure: 10s, ramp_rate: 0}
load: {users: 2, think_time: 50ms}
objectives: ["p95 <= 60s"]
`

func needPool(t *testing.T, access string) {
	t.Helper()
	p := gluster.Kind{}.Defaults().(*gluster.Parameters)
	p.Access = access
	if err := (gluster.Kind{}).Usable(p); err != nil {
		t.Skip(err)
	}
}

// traces asks the system's own tools what carries the run's name.
func traces(t *testing.T, run string) []string {
	t.Helper()
	var found []string
	for _, ask := range [][]string{{"ip", "netns"}, {"losetup", "--list", "--noheadings"}, {"mount"}, {"ps", "-eo", "pid,args"}} {
		out, err := exec.Command(ask[0], ask[1:]...).Output()
		if err != nil {
			t.Fatalf("%v: %v", ask, err)
		}
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, run) {
				found = append(found, ask[0]+": "+strings.TrimSpace(line))
			}
		}
	}
	return found
}

// kill -9 with a pool up and users at work: clean finds everything, and the
// system's own tools agree.
func TestKillNineWithAPool(t *testing.T) {
	t.Parallel()
	needPool(t, "native")
	s := newSite(t)
	const run = "ninepool-e2e"
	b := s.start("run", s.write("onpool.yaml", onPool), "--name", run)
	b.until("the users are at work", s.driving(run))
	b.signal(syscall.SIGKILL)
	b.wait()
	if len(traces(t, "plimsoll-"+run)) == 0 {
		t.Fatal("a killed run left nothing: the test proves nothing")
	}
	out, _ := s.plimsoll(0, "clean")
	contains(t, out, "Nothing is left")
	if left := traces(t, "plimsoll-"+run); len(left) > 0 {
		t.Errorf("left: %s", strings.Join(left, "\n"))
	}
}

// Databases run on every way to a volume, survive being killed there, and
// keep every order.
func TestServerKilledOnAPoolComesBack(t *testing.T) {
	t.Parallel()
	needPool(t, "nfs")
	s := newSite(t)
	text := replace(onPool, "peers: 3, geometry: replica 3", "peers: 1, geometry: distributed 1",
		"ladder:", "matrix: {storage: [pool], engine.name: [postgres, mariadb], storage.*.access: [native, nfs]}\nfaults: [{at: 2s, do: kill instance 0}]\nladder:", "measure: 10s", "measure: 4s")
	const run = "backpool-e2e"
	// No share of failed attempts ends the load of a server that recovers slowly.
	s.plimsoll(0, "run", s.write("onpool.yaml", text), "--name", run, "--min-grade", "F", "--error-limit", "1")
	r, err := result.Open(s.run(run))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Trials) != 4 {
		t.Errorf("%d trials", len(r.Trials))
	}
	for _, trial := range r.Trials {
		if trial.Status != result.Passed || !trial.Audit.Passed || trial.Audit.Acknowledged == 0 {
			t.Errorf("%s: %s %+v %+v", trial.ID, trial.Status, trial.Failure, trial.Audit)
		}
		if !strings.Contains(eventsOf(trial), "instance 0 answers again") {
			t.Errorf("%s: events: %s", trial.ID, eventsOf(trial))
		}
		if !namesPeer(trial) {
			t.Errorf("%s: telemetry names no peer", trial.ID)
		}
	}
}

// filesOnPool has workers on a dispersed volume of six bricks that may lose two: the two bricks
// of one peer.
const filesOnPool = `study: filesonpool
workload: {name: files, parameters: {operation: write, file_size: 4MiB, block_size: 256KiB, files: 4}}
storage:
  pool: {class: gluster, peers: 3, bricks: 2, geometry: 4+2, options: {network.ping-timeout: "5"}, disk: {media: ssd-sas, size: 2GiB}}
ladder: {of: users, rungs: [2]}
phases: {warmup: 1s, measure: 15s, ramp_rate: 0}
faults: [{at: 2s, do: kill peer 2}, {at: 6s, do: restart peer 2}]
objectives: ["errors <= 1%"]
`

// A peer crashes and comes back while workers write files: none is lost, the pool
// heals, and nothing of them was in a cache when the trial began.
func TestPeerKilledUnderFilesLosesNone(t *testing.T) {
	t.Parallel()
	needPool(t, "native")
	s := newSite(t)
	const run = "filespool-e2e"
	s.plimsoll(0, "run", s.write("filesonpool.yaml", filesOnPool), "--name", run, "--min-grade", "F", "--error-limit", "1")
	trial := s.trial(run, "pool/2/1")
	contains(t, eventsOf(trial), "fault: kill peer 2", "healed: full redundancy")
	if trial.Status != result.Passed || !trial.Audit.Passed || trial.Audit.Acknowledged == 0 {
		t.Errorf("%s: %+v, audit %+v", trial.Status, trial.Failure, trial.Audit)
	}
	contains(t, strings.Join(trial.Notes, "\n"), "before the trial, Plimsoll unmounted the volumes")
	if trial.Storage().Drives != 6 || strings.Contains(strings.Join(trial.Doubts, "\n"), "caches were not emptied") {
		t.Errorf("%d drives, doubts %q", trial.Storage().Drives, trial.Doubts)
	}
}

func eventsOf(t *result.Trial) string {
	var all []string
	for _, e := range t.Events {
		all = append(all, e.Text)
	}
	return strings.Join(all, "; ")
}

func namesPeer(t *result.Trial) bool {
	for _, r := range t.Resources {
		if r.Kind == "node" && r.Name == "peer1" && r.Metric == "cpu" {
			return true
		}
	}
	return false
}

// A brick is lost and comes back while users are at work; the pool heals and
// every order is there.
func TestBrickLostUnderLoadHeals(t *testing.T) {
	t.Parallel()
	needPool(t, "native")
	s := newSite(t)
	text := replace(onPool, "ladder:", "faults: [{at: 1s, do: stop brick 1}, {at: 5s, do: restart brick 1}]\nladder:")
	const run = "healpool-e2e"
	s.plimsoll(0, "run", s.write("onpool.yaml", text), "--name", run, "--min-grade", "F")
	trial := s.trial(run, "pool/1/1")
	contains(t, eventsOf(trial), "fault: stop brick 1", "healed: full redundancy")
	if !trial.Audit.Passed {
		t.Errorf("audit: %+v", trial.Audit)
	}
}

// A brick fills up under the users: databases get an error, the trial fails
// and says so, the next one goes on, nothing hangs.
func TestFullBrickFailsTheTrial(t *testing.T) {
	t.Parallel()
	needPool(t, "native")
	for _, engine := range []string{"postgres", "mariadb"} {
		t.Run(engine, func(t *testing.T) {
			if engine == "mariadb" {
				nightly.Only(t, "the same with postgres")
			}
			t.Parallel()
			s := newSite(t)
			text := replace(onPool, "peers: 3, geometry: replica 3", "peers: 1, geometry: distributed 1", "size: 2GiB", "size: 1GiB",
				"name: postgres", "name: "+engine, "measure: 10s", "measure: 2m")
			run := "fullpool-" + engine
			b := s.start("run", s.write("onpool.yaml", text), "--name", run, "--min-grade", "F")
			b.until("the users are at work", s.driving(run))
			fill(t, brickOf(t, run))
			if code := b.wait(); code == 0 {
				t.Fatalf("exit code 0\n%s", &b.out)
			}
			trial := s.trial(run, "pool/1/1")
			if trial.Status != result.Failed {
				t.Fatalf("trial: %s", trial.Status)
			}
			if !strings.HasPrefix(trial.Failure.Reason, "no space is left") {
				t.Errorf("the reason is not said: %+v", trial.Failure)
			}
			if left := traces(t, "plimsoll-"+run); len(left) > 0 {
				t.Errorf("left: %s", strings.Join(left, "\n"))
			}
		})
	}
}

// brickOf finds the file system of the brick of a run's only peer.
func brickOf(t *testing.T, run string) string {
	t.Helper()
	out, err := exec.Command("findmnt", "--list", "--noheadings", "--types", "xfs", "--output", "TARGET").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.Lines(string(out)) {
		if path = strings.TrimSpace(path); strings.Contains(path, "plimsoll-"+run) {
			return path
		}
	}
	t.Fatalf("run %s has no brick among %s", run, out)
	return ""
}

// fill leaves no space on a file system.
func fill(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "full"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var end int64
	for step := int64(64 << 20); step >= 4096; {
		if err := syscall.Fallocate(int(f.Fd()), 0, end, step); err != nil {
			step /= 2
			continue
		}
		end += step
	}
}

func TestPoolsStandWithoutAStudy(t *testing.T) {
	needPool(t, "native")
	s := newSite(t)
	pools := s.write("lab.yaml", "storage:\n  lab: {class: gluster, peers: 1, geometry: distributed 1}\n")
	s.plimsoll(0, "storage", "up", pools)
	s.plimsoll(2, "storage", "up", pools) // the name is taken
	out, _ := s.plimsoll(0, "storage", "list", "--json")
	groups := groupsOf(t, out)
	if len(groups) != 1 || len(groups[0].Pools) != 1 {
		t.Fatalf("groups: %s", out)
	}
	if err := os.WriteFile(filepath.Join(groups[0].Pools[0].Volume.Path, "file"), []byte("data"), 0o600); err != nil {
		t.Error(err)
	}
	out, _ = s.plimsoll(0, "storage", "down", "lab")
	contains(t, out, "Nothing is left")
	if left := traces(t, filepath.Base(groups[0].Dir)); len(left) > 0 {
		t.Errorf("left: %s", strings.Join(left, "\n"))
	}
}

func groupsOf(t *testing.T, text string) []devicepool.State {
	t.Helper()
	var all []devicepool.State
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, text)
	}
	return all
}

// If the supervisor was killed, down removes everything that it left.
func TestPoolsWhoseKeeperDiedAreTakenDown(t *testing.T) {
	needPool(t, "native")
	s := newSite(t)
	s.plimsoll(0, "storage", "up", s.write("lab.yaml", "storage:\n  lab: {class: gluster, peers: 1, geometry: distributed 1}\n"))
	out, _ := s.plimsoll(0, "storage", "list", "--json")
	group := groupsOf(t, out)[0]
	if err := syscall.Kill(group.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.plimsoll(0, "storage", "down")
	if left := traces(t, filepath.Base(group.Dir)); len(left) > 0 {
		t.Errorf("left: %s", strings.Join(left, "\n"))
	}
}

func TestPoolThatCannotBeIsRefusedInThePlan(t *testing.T) {
	s := newSite(t)
	_, errs := s.plimsoll(2, "plan", s.write("few.yaml", replace(onPool, "replica 3", "4+2")))
	contains(t, errs, "few.yaml:5:", "needs 6 bricks")
}

func TestRejectedOptionFailsTheTrialInGlustersWords(t *testing.T) {
	t.Parallel()
	needPool(t, "native")
	s := newSite(t)
	text := replace(onPool, "geometry: replica 3", "geometry: replica 3, options: {performance.cache-size: a lot}")
	s.plimsoll(4, "run", s.write("option.yaml", text), "--name", "option-e2e", "--min-grade", "F")
	trial := s.trial("option-e2e", "pool/1/1")
	contains(t, trial.Failure.Cause, "cache-size")
}
