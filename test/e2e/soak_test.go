package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"plimsoll/internal/result"
	"plimsoll/internal/storage/ceph"
	"plimsoll/test/nightly"
)

// soakStudy has two short trials, so that kills fall into every stage.
var soakStudy = replace(study("postgres"), "measure: 3s", "measure: 2s")

// soakOnCeph are on a cluster of their own, with images and with buckets.
func soakOnCeph() []string {
	const text = `study: onceph
workload: {name: WORKLOAD}
storage:
  pool: {class: ceph, access: ACCESS, nodes: 1, osds: 3, memory: 896MiB, disk: {media: nvme, size: 4GiB}}
ladder: [1, 2]
phases: {warmup: 1s, measure: 2s, ramp_rate: 0}
load: {users: 2}
objectives: ["p95 <= 10s"]
`
	return []string{
		replace(text, "ACCESS", "rbd, image_size: 512MiB", "WORKLOAD", "files, parameters: {file_size: 4000KB, block_size: 64KiB, files: 2, operation: mixed}"),
		replace(text, "ACCESS", "rgw", "WORKLOAD", `objects, parameters: {mix: "get:50, put:40, delete:10", sizes: 16KiB, objects: 10}`),
	}
}

// soak kills Plimsoll again and again, and each time checks what remains.
type soak struct {
	*site
	random *rand.Rand
	number int               // of runs begun
	name   string            // of the run that is going on, empty when none is
	cache  string            // of golden volumes
	kept   map[string][]byte // trial.json of its finished trials
	kills  map[string]int    // by what was killed
	lines  map[string]int    // that each said when it last came to its end
	output bytes.Buffer      // by the last Plimsoll
}

// TestSoak kills with -9 at random moments: while golden volumes are made,
// while users are at work, in the audit, in teardown, in clean and in resume.
// Nothing may be left, and no finished trial lost, each time. PLIMSOLL_KILLS
// says how often (make soak, each night: 100), PLIMSOLL_SOAK_SEED repeats a sequence, and PLIMSOLL_SOAK_ON
// (database, disk, ceph) has all runs on the same; else they take turns.
func TestSoak(t *testing.T) {
	const variable = "PLIMSOLL_KILLS"
	if os.Getenv(variable) == "" {
		nightly.Only(t, "a kill at chosen moments: TestKillNineThenCleanThenResume, and TestKillNine… with pools, disks, streams and web stacks")
	}
	kills, seed := number(t, variable, 5), number(t, "PLIMSOLL_SOAK_SEED", int(time.Now().UnixNano()%1e9))
	t.Logf("seed %d", seed)
	k := &soak{site: newSite(t), random: rand.New(rand.NewPCG(uint64(seed), 0)), kills: map[string]int{}, lines: map[string]int{"run": 18, "resume": 18}}
	k.cache = filepath.Join(filepath.Dir(cache), "soak-cache")
	k.env = []string{"PLIMSOLL_CACHE=" + k.cache}
	for killed := 0; killed < kills && !t.Failed(); {
		if k.step() {
			killed++
		}
	}
	k.clean()
	t.Logf("killed: %v; runs: %d", k.kills, k.number)
}

func number(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// step begins a run or goes on with one, and says whether it was killed.
func (k *soak) step() (killed bool) {
	k.t.Helper()
	what, args := "resume", []string{"run", "--resume", k.run(k.name), "--min-grade", "F"}
	if k.name == "" {
		what, args = "run", k.newRun()
	}
	killed = k.killSomewhere(what, k.random.IntN(k.lines[what]), args...)
	k.finishedTrialsAreKept()
	if !killed {
		k.complete()
		k.clean()
		k.name = ""
		return false
	}
	if k.random.IntN(3) == 0 {
		return true // resume has to clear up by itself
	}
	if k.random.IntN(3) == 0 {
		k.killSomewhere("clean", 0, "clean", k.run(k.name))
	}
	k.clean()
	return true
}

// newRun names a run, on a simulated disk now and then, and makes it load its
// golden volume afresh now and then.
func (k *soak) newRun() []string {
	k.t.Helper()
	k.number++
	k.name, k.kept = fmt.Sprintf("soak-%d", k.number), map[string][]byte{}
	text := soakStudy
	switch k.on() {
	case "disk":
		text = replace(onDisk, "measure: 8s", "measure: 2s", "size: 2GiB", "size: 1GiB")
	case "ceph":
		text = soakOnCeph()[k.random.IntN(2)]
	}
	if k.random.IntN(3) == 0 {
		k.plimsoll(0, "clean", "--golden", "--runs", "none")
	}
	return []string{"run", k.write(k.name+".yaml", text), "--name", k.name, "--min-grade", "F"}
}

// on is what the run lies on.
func (k *soak) on() string {
	chosen := os.Getenv("PLIMSOLL_SOAK_ON")
	if chosen == "" {
		chosen = []string{"disk", "database", "ceph", "database"}[k.number%4]
	}
	if chosen == "disk" && !haveDisk() || chosen == "ceph" && !haveCeph() {
		return "database"
	}
	return chosen
}

// haveCeph reports whether this machine can have a cluster.
func haveCeph() bool {
	p := (ceph.Kind{}).Defaults().(*ceph.Parameters)
	p.Access = "rgw"
	return haveDisk() && (ceph.Kind{}).Usable(p) == nil
}

// killSomewhere kills a Plimsoll when it has said so many lines, after a
// moment or, as often, after a stage's time. It says whether it came to that;
// one that ended before must have ended well.
func (k *soak) killSomewhere(what string, lines int, args ...string) bool {
	k.t.Helper()
	cmd := k.command(args...)
	output, err := cmd.StderrPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	k.output.Reset()
	begun, said := time.Now(), 0
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	after := time.Duration(k.random.Int64N(int64(time.Second)))
	if what != "clean" && k.random.IntN(2) == 0 {
		after *= 8
	}
	kill := time.AfterFunc(time.Hour, func() { _ = cmd.Process.Kill() })
	if lines == 0 {
		kill.Reset(after)
	}
	for text := bufio.NewScanner(output); text.Scan(); said++ {
		fmt.Fprintln(&k.output, text.Text())
		if lines--; lines == 0 {
			kill.Reset(after)
		}
	}
	_ = cmd.Wait()
	kill.Stop()
	if cmd.ProcessState.Exited() {
		if code := cmd.ProcessState.ExitCode(); code != 0 {
			k.t.Fatalf("%v: exit code %d\n%s", args, code, &k.output)
		}
		k.t.Logf("%s of %s ended by itself after %.0f s and %d lines", what, k.name, time.Since(begun).Seconds(), said)
		k.lines[what] = max(1, said)
		return false
	}
	k.kills[what]++
	k.t.Logf("%s of %s killed after %.0f s: %s", what, k.name, time.Since(begun).Seconds(), lastLine(k.output.String()))
	if what == "run" && !k.hasPlan() {
		k.clean()
		k.name = "" // there is nothing yet that could be resumed
	}
	return true
}

func (k *soak) hasPlan() bool {
	_, err := os.Stat(filepath.Join(k.run(k.name), result.PlanFile))
	return err == nil
}

// finishedTrialsAreKept compares the finished trials with the trials that the run has now.
func (k *soak) finishedTrialsAreKept() {
	k.t.Helper()
	if k.name == "" {
		return
	}
	r, err := result.Open(k.run(k.name))
	if err != nil {
		k.t.Fatal(err)
	}
	if len(r.Problems) > 0 && k.hasPlan() {
		k.t.Errorf("%s: %v", k.name, r.Problems)
	}
	for id, before := range k.kept {
		if now := k.trialFile(id); !bytes.Equal(now, before) || r.Trial(id) == nil {
			k.t.Errorf("%s: finished trial %s is no longer what it was: %v", k.name, id, r.Problems)
		}
	}
	for _, trial := range r.Trials {
		k.kept[trial.ID] = k.trialFile(trial.ID)
		if trial.Status != result.Passed {
			k.t.Errorf("%s: trial %s failed: %+v", k.name, trial.ID, trial.Failure)
		}
	}
}

func (k *soak) trialFile(id string) []byte {
	text, err := os.ReadFile(filepath.Join(result.TrialDir(k.run(k.name), id), result.TrialFile))
	if err != nil {
		k.t.Error(err)
	}
	return text
}

// complete checks a run that went to its end.
func (k *soak) complete() {
	k.t.Helper()
	if len(k.kept) != 2 {
		r, err := result.Open(k.run(k.name))
		k.t.Errorf("%s is finished with %d trials of 2: %+v (%v)\n%s", k.name, len(k.kept), r, err, &k.output)
	}
	if _, err := os.Stat(filepath.Join(k.run(k.name), result.ReportFile)); err != nil {
		k.t.Error(err)
	}
}

// clean cleans the run to the end and looks over the machine itself.
func (k *soak) clean() {
	k.t.Helper()
	if k.name == "" {
		return
	}
	if _, err := os.Stat(filepath.Join(k.run(k.name), result.JournalFile)); err != nil {
		return // killed before it made anything
	}
	begun := time.Now()
	k.plimsoll(0, "clean", k.run(k.name))
	k.t.Logf("cleaned in %.0f s", time.Since(begun).Seconds())
	id := k.journalOf(k.name).RunID
	if id == "" {
		return
	}
	left := k.leftovers(k.name)
	for _, dir := range []string{"/tmp", "/var/tmp", "/dev/shm", "/run/netns", k.cache} {
		found, _ := filepath.Glob(filepath.Join(dir, "*"+id+"*"))
		left = append(left, found...)
	}
	if objects := k.journalOf(k.name).Objects; len(left)+len(objects) > 0 {
		k.t.Errorf("%s: left %v, journal %v", k.name, left, objects)
	}
}

func lastLine(text string) string {
	lines := bytes.Split(bytes.TrimSpace([]byte(text)), []byte("\n"))
	return string(bytes.TrimSpace(lines[len(lines)-1]))
}
