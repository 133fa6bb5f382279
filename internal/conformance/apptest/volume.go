package apptest

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/event"
)

func (b Bench) keepsNothing(t *testing.T) {
	c := b.Config("plain")
	if steps := b.Engine.Initialise(b.In, c); len(steps) > 0 {
		t.Errorf("it lays a volume out: %v", steps)
	}
	if n := b.Engine.Overhead(); n != 0 {
		t.Errorf("it takes %d bytes of a volume", n)
	}
	for _, f := range b.Engine.Server(b.In, c).Files {
		if !strings.HasPrefix(f.Path, "${RUNTIME}/") {
			t.Errorf("%s is not below ${RUNTIME}", f.Path)
		}
	}
}

func (b Bench) emptyVolume(t *testing.T) {
	p, c := b.Configured(t, "empty")
	_, err := p.Start(t.Context(), b.Engine.Server(b.In, c), b.Volume(t, p, "empty"))
	if err == nil {
		t.Fatal("started on an empty volume")
	}
	for _, want := range []string{"empty", "log"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error says nothing of %q: %v", want, err)
		}
	}
	t.Logf("error: %v", err)
}

// shares has one server keep what another serves, and the other way round, also after one
// of them was killed.
func (b Bench) shares(t *testing.T) {
	p, c := b.Configured(t, "sharing-0")
	v := b.Initialised(t, p, c)
	first := b.Start(t, p, c, v)
	c.Name = "sharing-1"
	second := b.Start(t, p, c, v)
	b.put(t, c, first, 3, "kept by the first")
	b.expect(t, c, second, 3, "kept by the first")
	b.put(t, c, second, 3, "kept by the second")
	b.expect(t, c, first, 3, "kept by the second")
	if err := first.Kill(); err != nil {
		t.Fatal(err)
	}
	<-first.Done()
	b.expect(t, c, second, 3, "kept by the second")
	if err := second.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// clone does what the campaign does with golden volumes.
func (b Bench) clone(t *testing.T) {
	p, c := b.Configured(t, "golden")
	v := b.Initialised(t, p, c)
	t.Logf("an empty volume takes %.1f MB", float64(diskUse(t, v.Path))/1e6)
	if b.Largest > 0 && diskUse(t, v.Path) > b.Largest {
		t.Errorf("an empty volume takes %d bytes, more than %d", diskUse(t, v.Path), b.Largest)
	}
	first := b.Start(t, p, c, v)
	b.put(t, c, first, 1, "kept")
	if err := first.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"clone-1", "clone-2"} {
		clone := b.Volume(t, p, name)
		uid, gid := p.User(name)
		out, err := exec.Command("sh", "-c", `cp -a "$1/." "$2" && { [ "$(id -u)" != 0 ] || chown -R "$3" "$2"; }`, "sh",
			v.Path, clone.Path, fmt.Sprintf("%d:%d", uid, gid)).CombinedOutput()
		if err != nil {
			t.Fatalf("copy: %v: %s", err, out)
		}
		c.Name = name
		b.expect(t, c, b.Start(t, p, c, clone), 1, "kept")
	}
}

// diskUse counts allocated blocks.
func diskUse(t *testing.T, dir string) int64 {
	t.Helper()
	var total int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += allocated(info)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return total
}

// small is a server of a crowd: 128 of them share 24 GiB.
func (b Bench) small(t *testing.T) {
	p, c := b.Configured(t, "small")
	c.Limits.Memory = cmp.Or(b.Small, b.Least)
	c.Users = SmallUsers
	proc := b.Start(t, p, c, b.Initialised(t, p, c))
	for i := range c.Users { // all are connected until the test ends
		s, err := b.Open(t.Context(), c, proc.Endpoint())
		if err != nil {
			t.Fatalf("connection %d of %d: %v", i+1, c.Users, err)
		}
		defer s.Close()
		if err := s.Put(t.Context(), keyOf(i), "kept"); err != nil {
			t.Fatalf("connection %d of %d: %v", i+1, c.Users, err)
		}
	}
	b.expect(t, c, proc, c.Users, "kept")
}

// mark is every value that is damaged.
const mark = "Plimsoll was a coal merchant"

// checks damages stored data while the server is down. The server starts all the same; only
// its own check can find the damage.
func (b Bench) checks(t *testing.T) {
	check := b.Engine.Capabilities().Check
	if check == nil {
		t.Skip("this engine has no check of its own")
	}
	p, c := b.Configured(t, "checks")
	v := b.Initialised(t, p, c)
	first := b.Start(t, p, c, v)
	b.put(t, c, first, 300, mark)
	found, err := check(t.Context(), c.AsAdmin(first.Endpoint()))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("sound: %+v", found)
	if !passed(found) {
		t.Error("a sound server does not pass its own check")
	}
	if err := first.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	damage(t, v.Path)
	second, err := p.Start(t.Context(), b.Engine.Server(b.In, c), v)
	if err != nil {
		t.Fatal(err)
	}
	found, err = check(t.Context(), c.AsAdmin(second.Endpoint()))
	t.Logf("damaged: %+v, %v", found, err)
	if passed(found) && err == nil {
		t.Error("the check passes although every page that holds a value is damaged")
	}
}

// acts has a server do every event that its engine declares; what it keeps stays.
func (b Bench) acts(t *testing.T) {
	engine, ok := b.Engine.(app.Actor)
	if !ok {
		t.Skip("this engine does no events")
	}
	p, c := b.Configured(t, "acts")
	proc := b.Start(t, p, c, b.Initialised(t, p, c))
	b.put(t, c, proc, 10, "kept")
	for _, verb := range engine.Events().Verbs {
		e, err := engine.Events().Parse(verb.Words() + " 0")
		if err != nil {
			t.Fatalf("an engine's event is about an instance alone: %v", err)
		}
		if err := engine.Do(t.Context(), e, c.AsAdmin(proc.Asked())); err != nil {
			t.Errorf("%s: %v", e.Text, err)
		}
	}
	if err := engine.Do(t.Context(), event.Event{Verb: event.Verb{Name: "dance"}}, c.AsAdmin(proc.Asked())); err == nil {
		t.Error("it does what it does not declare")
	}
	b.expect(t, c, proc, 10, "kept")
}

func passed(all []describe.Check) bool {
	return len(all) > 0 && !slices.ContainsFunc(all, func(c describe.Check) bool { return !c.Passed })
}

// damage changes a letter of the mark wherever it is below a directory.
func damage(t *testing.T, dir string) {
	t.Helper()
	places := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(text, []byte(mark)) {
			return err
		}
		places += bytes.Count(text, []byte(mark))
		changed := bytes.ReplaceAll(text, []byte(mark), []byte("B"+mark[1:]))
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.WriteAt(changed, 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if places == 0 {
		t.Fatal("no file holds what was written")
	}
}
