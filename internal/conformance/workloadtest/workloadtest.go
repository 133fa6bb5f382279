// Package workloadtest is what every workload must pass, on what really fills its roles: a
// workload's test calls Run with the workload, an environment that starts what the roles
// ask for, and ways to damage what the audit protects. What does not concern a workload
// is left out: nothing is killed where there is no server, nothing prepared where nothing
// is kept. (It uses engines and the local platform, which lie above workloads; only
// tests import it.)
package workloadtest

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
	"plimsoll/test/quick"
)

// Suite is one workload and where to try it.
type Suite struct {
	Workload workload.Workload
	// Parameters choose a small data set.
	Parameters workload.Parameters
	// Environment fills the roles of the workload.
	Environment Environment
	// Wrong are parameters that Validate must refuse, with the field that it
	// must name.
	Wrong map[string]workload.Parameters
	// Empty removes the remains of a load that was broken off. Nil means that a load
	// cancelled before it begins leaves nothing.
	Empty func(t *testing.T, target workload.Target)
	// Falsified gives receipts with which the audit must fail, each under a text that
	// says how the true ones were changed; Doubtful gives receipts with which it must
	// pass, because an error left the outcome of some open. Without them the audit
	// must find that a receipt is missing.
	Falsified, Doubtful func(receipts [][]byte) map[string][][]byte
	// Damages are what the audit must find.
	Damages []Damage
}

// Damage is one way in which an instance may have lost or changed acknowledged data.
type Damage struct {
	Name string
	// Fails is the name of a check that must fail.
	Fails string
	// Do damages the instance; receipts are the receipts of the operations performed. Undo
	// repairs the instance.
	Do, Undo func(t *testing.T, target workload.Target, receipts [][]byte)
}

// seed of everything in the suite.
const seed = 4711

// Run runs every test of the suite.
func Run(t *testing.T, s Suite) {
	quick.Skip(t, quick.Servers)
	t.Run("parameters", s.parameters)
	t.Run("profile", s.profile)
	t.Run("data set", s.dataset)
	b := &bench{Suite: s, instance: s.start(t)}
	for _, step := range b.steps() {
		if !t.Run(step.name, step.run) {
			return // later steps build on this one
		}
	}
}

type step struct {
	name string
	run  func(*testing.T)
}

// steps are those that concern the workload.
func (b *bench) steps() []step {
	var all []step
	add := func(concerns bool, name string, run func(*testing.T)) {
		if concerns {
			all = append(all, step{name, run})
		}
	}
	audited := b.Workload.Capabilities().Audit != nil
	add(b.prepares(), "a load that is cancelled ends with an error", b.prepareCancelled)
	add(true, "prepare", b.prepare)
	add(b.prepares(), "prepare twice is refused", b.prepareAgain)
	add(true, "sessions work and report", b.sessions)
	add(true, "a session survives a cancelled unit", b.cancelled)
	add(audited, "audit passes", b.auditPasses)
	add(audited, "audit finds what the receipts miss or invent", b.auditComparesReceipts)
	add(audited && b.Doubtful != nil, "audit excuses what is doubtful", b.auditExcuses)
	add(audited && len(b.Damages) > 0, "audit finds damage", b.auditFindsDamage)
	add(audited && len(b.instance.stateful()) > 0, "audit passes after a crash under load", b.crash)
	return all
}

func (s Suite) parameters(t *testing.T) {
	for _, p := range []workload.Parameters{s.Workload.Defaults(), s.Parameters} {
		if wrong := p.Validate(); len(wrong) > 0 {
			t.Errorf("%+v is refused: %+v", p, wrong)
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		back := s.Workload.Defaults() // as a driver reads its job
		if err := json.Unmarshal(text, back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, back); diff != "" {
			t.Errorf("parameters change on the way to a driver (-sent +received):\n%s", diff)
		}
	}
	if s.Workload.Defaults() == s.Workload.Defaults() {
		t.Error("Defaults gives the same value twice, which one study could change for another")
	}
	for field, p := range s.Wrong {
		if !slices.ContainsFunc(p.Validate(), func(e describe.Problem) bool { return e.Path == field && e.Text != "" }) {
			t.Errorf("%+v: no complaint about %s, but %v", p, field, p.Validate())
		}
	}
	describedFields(t, s.Workload.Defaults())
}

// describedFields makes sure that the schema of studies can explain every key.
func describedFields(t *testing.T, p workload.Parameters) {
	for i, yaml := range keys(p) {
		f := reflect.TypeOf(p).Elem().Field(i)
		jsonName, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if yaml == "" || yaml != jsonName || !strings.Contains(f.Tag.Get("jsonschema"), "description=") {
			t.Errorf("field %s needs yaml and json tags of the same name and a jsonschema description, has `%s`", f.Name, f.Tag)
		}
	}
}

// keys lists the parameters' names in studies, in the order of the fields.
func keys(p workload.Parameters) (all []string) {
	kind := reflect.TypeOf(p).Elem()
	for i := range kind.NumField() {
		yaml, _, _ := strings.Cut(kind.Field(i).Tag.Get("yaml"), ",")
		all = append(all, yaml)
	}
	return all
}

func (s Suite) profile(t *testing.T) {
	p := s.Workload.Describe(s.Parameters)
	if p.Workload != s.Workload.Name() || !p.Unit.Complete() {
		t.Errorf("profile %+v of workload %s is not complete", p, s.Workload.Name())
	}
	if p.Whole() != p.Unit.Name {
		t.Errorf("operations %q do not begin with the unit of work, %s", p.Operations, p.Unit.Name)
	}
	if sorted := slices.Sorted(slices.Values(p.Operations)); len(slices.Compact(sorted)) != len(p.Operations) {
		t.Errorf("operations %q have a name twice", p.Operations)
	}
	for _, key := range p.Unused {
		if !slices.Contains(keys(s.Parameters), key) {
			t.Errorf("the unused parameter %q does not exist", key)
		}
	}
	can := s.Workload.Capabilities()
	if p.Answered && can.Answerer == nil {
		t.Error("its profile says that users can be answered without a store, and nothing answers them")
	}
	if audited := can.Audit != nil; audited == (p.Correctness != "") {
		t.Errorf("a workload is audited (%t), or else its profile says what its correctness rests on (%q)", audited, p.Correctness)
	}
}

func (s Suite) roles() []workload.Role { return s.Workload.Roles(s.Parameters) }

func (s Suite) kinds() workload.Kinds { return s.Environment.kinds(s.roles()) }

// set is the data set for the environment, from some seed.
func (s Suite) set(seed uint64) workload.Dataset {
	return s.Workload.Dataset(s.Parameters, s.kinds(), seed)
}

// prepares reports whether something is loaded into instances.
func (s Suite) prepares() bool { return s.set(seed).Key() != "" || bytesOf(s.set(seed)) > 0 }

// start starts an instance for the suite's data set.
func (s Suite) start(t *testing.T) *Instance {
	t.Helper()
	return s.Environment.Start(t, s.roles(), s.set(seed))
}

func (s Suite) dataset(t *testing.T) {
	d := s.set(seed)
	if again := s.set(seed); !reflect.DeepEqual(again, d) {
		t.Errorf("data set changes from %+v to %+v", d, again)
	}
	s.places(t, d)
	switch kept := slices.ContainsFunc(s.roles(), s.Environment.keeps); {
	case kept != s.prepares():
		t.Errorf("%+v is prepared; something is kept: %t", d, kept)
	case d.Description == "" || kept && bytesOf(d) <= 0:
		t.Errorf("data set %+v", d)
	case !kept:
	case d.Key() == "": // prepared in place
		if d := s.Workload.Dataset(s.Parameters, workload.Kinds{}, seed); d.Description != "" || len(d.Roles) > 0 {
			t.Errorf("%+v is loaded although nothing fills the roles", d)
		}
	case s.set(seed+1).Key() == d.Key():
		t.Errorf("key %q does not depend on the seed", d.Key())
	}

}

// places reports data loaded into roles that store nothing.
func (s Suite) places(t *testing.T, d workload.Dataset) {
	for name, c := range d.Roles {
		n := slices.IndexFunc(s.roles(), func(r workload.Role) bool { return r.Name == name && s.Environment.keeps(r) })
		if n < 0 {
			t.Errorf("%+v is loaded into %s, which keeps nothing", c, name)
			continue
		}
		for mount := range c.Mounts {
			if at := slices.IndexFunc(s.roles()[n].Mounts, func(m describe.Mount) bool { return m.Name == mount }); at < 1 {
				t.Errorf("the role %s has no further mount %s", name, mount)
			}
		}
	}
}

// bytesOf is the space of a data set for all users of the suite.
func bytesOf(d workload.Dataset) int64 { return d.Space().Bytes + users*d.Space().UserBytes }

// prepareCancelled cancels a load: midway if the suite can remove a partial load, otherwise
// before it begins.
func (b *bench) prepareCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if b.Empty == nil {
		cancel()
	}
	err := b.load(ctx, func(share float64) {
		if share > 0.2 {
			cancel()
		}
	})
	if err == nil {
		t.Error("no error")
	}
	t.Logf("error: %v", err)
	if b.Empty != nil {
		b.Empty(t, b.instance.Admin())
	} else if dir := b.instance.Volume(); dir != "" && len(b.instance.stateful()) == 0 {
		mustBeEmpty(t, dir)
	}
}

func mustBeEmpty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("in %s are %v, %v", dir, left, err)
	}
}

// load prepares the instance.
func (b *bench) load(ctx context.Context, progress func(float64)) error {
	return b.Workload.Prepare(ctx, b.instance.Admin(), b.Parameters, seed, progress)
}

func (b *bench) prepare(t *testing.T) {
	before := b.instance.diskUse(t)
	last := -1.0
	err := b.load(t.Context(), func(share float64) {
		if share < last || share > 1 {
			t.Errorf("progress goes from %v to %v", last, share)
		}
		last = share
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != 1 {
		t.Errorf("progress ends at %v", last)
	}
	t.Logf("the volumes have grown by %.1f MB, logs included; Dataset says %.1f MB",
		float64(b.instance.diskUse(t)-before)/1e6, float64(bytesOf(b.set(seed)))/1e6)
}

func (b *bench) prepareAgain(t *testing.T) {
	err := b.load(t.Context(), func(float64) {})
	if err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("the error does not say that the instance must be empty: %v", err)
	}
}
