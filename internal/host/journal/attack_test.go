package journal

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// nobody is the user that attacks.
const nobody = 65534

func needsRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, which is who is attacked")
	}
}

// sleeper starts a process that lives until the test ends.
func sleeper(t *testing.T, dir string, environ ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	cmd.Dir, cmd.Env = dir, environ
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may be dead already
		_ = cmd.Wait()
	})
	return cmd
}

func alive(cmd *exec.Cmd) bool {
	pid := cmd.Process.Pid
	return StartTime(pid) > 0 && !isZombie(pid)
}

// as runs a shell command as another user.
func as(t *testing.T, uid uint32, command string, args ...string) {
	t.Helper()
	cmd := exec.Command("/bin/sh", append([]string{"-c", command, "sh"}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v %s", command, err, out)
	}
}

// forge writes a journal without registering anything.
func forge(t *testing.T, runID string, objects ...Object) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "journal.jsonl")
	lines := []Entry{{Act: "note", Event: runStarted, Detail: map[string]string{
		"run": runID, "machine": MachineID(), "uid": strconv.Itoa(os.Geteuid()), "version": "forged",
	}}}
	for _, o := range objects {
		lines = append(lines, Entry{Act: "made", Object: &o})
	}
	var text []byte
	for _, e := range lines {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		text = append(append(text, line...), '\n')
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAForgedJournalOwnsNothing: neither a process by its number, nor a control group, nor
// a directory of the run's name.
func TestAForgedJournalOwnsNothing(t *testing.T) {
	id := testID("victim")
	dir := filepath.Join(t.TempDir(), Name(id))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	byNumber, byPlace, byMarker := sleeper(t, "/"), sleeper(t, dir), sleeper(t, "/", MarkerVariable+"="+id+"/db")
	awaitEnvironment(t, byMarker.Process.Pid)
	objects := []Object{
		{Kind: Process, Name: "x", PID: byNumber.Process.Pid, StartTime: StartTime(byNumber.Process.Pid)},
		{Kind: Process, Name: "y", Path: dir}, {Kind: Process, Name: "db"}, {Kind: Directory, Path: dir},
	}
	hierarchy := filepath.Join(cgroupRoot, "pids") // of version 1
	if !exists(filepath.Join(hierarchy, "cgroup.procs")) {
		hierarchy = cgroupRoot
	}
	group := filepath.Join(hierarchy, Name(id))
	inGroup := sleeper(t, "/")
	if os.Mkdir(group, 0o755) == nil {
		t.Cleanup(func() {
			_ = inGroup.Process.Kill()
			_ = inGroup.Wait()
			for range 1000 {
				if os.Remove(group) == nil {
					break
				}
				time.Sleep(10 * time.Millisecond) // until the kernel has forgotten the process
			}
		})
		if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(strconv.Itoa(inGroup.Process.Pid)), 0); err != nil {
			t.Logf("no process can be put into a control group: %v", err)
		}
		objects = append(objects, Object{Kind: Cgroup, Path: group})
	}
	named := 0
	for _, r := range Sweep(t.Context(), state(t, forge(t, id, objects...))) {
		if r.Err == nil {
			t.Errorf("%s was removed", r.Object)
		} else if strings.Contains(r.Err.Error(), "if it is yours: ") {
			named++
		}
	}
	if named < len(objects)-1 { // nothing tells that y is there
		t.Errorf("%d of %d are named", named, len(objects))
	}
	for _, victim := range []*exec.Cmd{byNumber, byPlace, byMarker, inGroup} {
		if !alive(victim) {
			t.Errorf("process %d was ended", victim.Process.Pid)
		}
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
}

// TestACopiedJournalOwnsNothing, and the original goes on owning.
func TestACopiedJournalOwnsNothing(t *testing.T) {
	j, path := open(t)
	dir := filepath.Join(t.TempDir(), Name(j.RunID))
	if err := j.Making(Object{Kind: Directory, Path: dir}); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(filepath.Dir(path))); err != nil {
		t.Fatal(err)
	}
	s := state(t, filepath.Join(copied, "journal.jsonl"))
	done := Sweep(t.Context(), s)
	if len(s.Objects) != 0 || s.Original != filepath.Dir(path) || len(done) != 1 || done[0].Err == nil {
		t.Errorf("objects %v, original %s, swept %v", s.Objects, s.Original, done)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Fatal(err)
	}
	// Moved, it is the same directory.
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(filepath.Dir(path), moved); err != nil {
		t.Fatal(err)
	}
	for _, r := range Sweep(t.Context(), state(t, filepath.Join(moved, "journal.jsonl"))) {
		if r.Err != nil || !r.Found {
			t.Errorf("%s: found %v, %v", r.Object, r.Found, r.Err)
		}
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("still there: %v", err)
	}
}

// TestALinkAtARegisteredPath, which another user has placed when a reboot had emptied the
// directory, leads to nothing.
func TestALinkAtARegisteredPath(t *testing.T) {
	needsRoot(t)
	j, path := open(t)
	everybodys, err := os.MkdirTemp("/var/tmp", "plimsoll-everybodys-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(everybodys); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(everybodys, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	victim := t.TempDir()
	working := sleeper(t, victim)
	if err := os.WriteFile(filepath.Join(victim, "precious"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	owned := filepath.Join(everybodys, Name(j.RunID))
	for _, o := range []Object{
		{Kind: Directory, Path: owned}, {Kind: Directory, Path: owned + "/below"},
		{Kind: Process, Name: "db", Path: owned}, {Kind: Process, Name: "web", Path: owned + "/below"},
	} {
		if err := j.Making(o); err != nil {
			t.Fatal(err)
		}
	}
	for _, plant := range []string{`ln -s "$1" "$2"`, `mkdir "$2" && ln -s "$1" "$2/below"`} {
		as(t, nobody, plant, victim, owned)
		for _, r := range Sweep(t.Context(), state(t, path)) {
			if r.Object.Kind == Directory && r.Object.Path == owned && r.Err == nil {
				t.Errorf("%s: %s was removed, which is another user's", plant, r.Object)
			}
		}
		if !alive(working) {
			t.Fatalf("%s: a process was ended that works where the link leads", plant)
		}
		if _, err := os.Stat(filepath.Join(victim, "precious")); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(owned); err != nil {
			t.Fatal(err)
		}
	}
	// A link on the way, too: the path was without links when it was registered.
	if err := os.Rename(everybodys, everybodys+".old"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(everybodys + ".old"); err != nil {
			t.Error(err)
		}
	})
	inside := filepath.Join(victim, Name(j.RunID))
	if err := errorsOf(os.Mkdir(inside, 0o755), os.Symlink(victim, everybodys)); err != nil {
		t.Fatal(err)
	}
	Sweep(t.Context(), state(t, path))
	if _, err := os.Stat(inside); err != nil {
		t.Errorf("followed a link on the way: %v", err)
	}
}

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestWhatAnotherBootHadIsNotLookedFor: its processes' numbers are others' now, but its
// directories may still be there.
func TestWhatAnotherBootHadIsNotLookedFor(t *testing.T) {
	j, path := open(t)
	dir := filepath.Join(t.TempDir(), Name(j.RunID))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	other := sleeper(t, "/")
	for _, o := range []Object{
		{Kind: Directory, Path: dir}, {Kind: Mount, Path: dir + "/mount"},
		{Kind: Process, Name: "db", PID: other.Process.Pid, StartTime: StartTime(other.Process.Pid)},
	} {
		if err := j.Making(o); err != nil {
			t.Fatal(err)
		}
	}
	file := j.register.path
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(text), bootID(), "another-boot")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, r := range Sweep(t.Context(), state(t, path)) {
		if r.Err != nil || r.Found != (r.Object.Kind == Directory) {
			t.Errorf("%s: found %v, %v", r.Object, r.Found, r.Err)
		}
	}
	if !alive(other) {
		t.Error("a process of this boot was ended")
	}
}

// TestRegistersArePrivateBoundedAndGoWithTheirRun.
func TestRegistersArePrivateBoundedAndGoWithTheirRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	j, err := Open(path, testID("probe")) // which is no run that may go on
	if err != nil {
		t.Fatal(err)
	}
	kept := Object{Kind: Directory, Path: "/x/" + Name(j.RunID)}
	if err := j.Making(kept); err != nil {
		t.Fatal(err)
	}
	file := j.register.path
	for i := range mostLines {
		if err := j.Made(Object{Kind: Process, Name: "p", PID: i}); err != nil {
			t.Fatal(err)
		}
	}
	if j.register.lines > mostLines {
		t.Errorf("%d lines", j.register.lines)
	}
	if s := state(t, path); len(s.Objects) != 2 || !slices.Contains(s.Objects, kept) {
		t.Errorf("objects %v", s.Objects)
	}
	for _, at := range []string{file, filepath.Dir(file)} {
		if info, err := os.Stat(at); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", at, info.Mode(), err)
		}
	}
	for _, o := range []Object{kept, {Kind: Process, Name: "p"}} {
		if err := j.Removed(o); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the register of a run that left nothing: %v", err)
	}
}

// TestStateDirectoryOfAnotherUserIsRefused: it would decide what root removes.
func TestStateDirectoryOfAnotherUserIsRefused(t *testing.T) {
	needsRoot(t)
	was := stateDirectories
	t.Cleanup(func() { stateDirectories = was })
	dir := t.TempDir()
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	for _, theirs := range []string{dir, link} {
		stateDirectories = func() []string { return []string{theirs} }
		if at, err := registers(); err == nil {
			t.Errorf("registers lie in %s", at)
		}
	}
}
