// Package workloadtest is what every workload must pass, with a real server: a
// workload's test calls Run with the workload, an engine and ways to damage
// what the audit protects. (It uses engines and the local platform, which lie
// above workloads; only tests import it.)
package workloadtest

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/internal/app"
	"plimsoll/internal/workload"
)

// Suite is one workload and where to try it.
type Suite struct {
	Workload workload.Workload
	// Parameters choose a small data set.
	Parameters workload.Parameters
	Engine     app.Engine
	// Wrong are parameters that Validate must refuse, with the field that it
	// must name.
	Wrong map[string]workload.Parameters
	// Empty removes what a load that was broken off has left.
	Empty func(t *testing.T, target workload.Target)
	// Falsified gives receipts with which the audit must fail, by what was done
	// to those of the units that were performed; Doubtful gives receipts with
	// which it must pass, because an error left the outcome of some open.
	Falsified, Doubtful func(receipts [][]byte) map[string][][]byte
	// Damages are what the audit must find.
	Damages []Damage
}

// Damage is one way in which an instance may have lost or changed what was
// acknowledged.
type Damage struct {
	Name string
	// Fails is the name of a check that must fail.
	Fails string
	// Do damages the instance; receipts are those of what was
	// performed. Undo repairs the instance.
	Do, Undo func(t *testing.T, target workload.Target, receipts [][]byte)
}

// seed of everything in the suite.
const seed = 4711

// Run runs every test of the suite.
func Run(t *testing.T, s Suite) {
	t.Run("parameters", s.parameters)
	t.Run("profile", s.profile)
	t.Run("data set", s.dataset)
	if role := s.role(); !slices.Contains(role.Kinds, s.Engine.Kind()) {
		t.Fatalf("role %s of workload %s is not for %s", role.Name, s.Workload.Name(), s.Engine.Kind())
	}
	b := &bench{Suite: s, instance: s.start(t)}
	for _, step := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"a load that is cancelled ends with an error", b.prepareCancelled},
		{"prepare", b.prepare},
		{"prepare twice is refused", b.prepareAgain},
		{"sessions work and report", b.sessions},
		{"a session survives a cancelled unit", b.cancelled},
		{"audit passes", b.auditPasses},
		{"audit finds what the receipts miss or invent", b.auditComparesReceipts},
		{"audit excuses what is doubtful", b.auditExcuses},
		{"audit finds damage", b.auditFindsDamage},
		{"audit passes after a crash under load", b.crash},
	} {
		if !t.Run(step.name, step.run) {
			return // later steps build on this one
		}
	}
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
		if !slices.ContainsFunc(p.Validate(), func(e workload.ParameterError) bool { return e.Field == field && e.Reason != "" }) {
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

// keys are those of the parameters in studies, by field.
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
	if _, audited := s.Workload.(workload.Auditor); audited == (p.Correctness != "") {
		t.Errorf("a workload is audited (%t), or else its profile says what its correctness rests on (%q)", audited, p.Correctness)
	}
}

// role is the one that the engine fills.
func (s Suite) role() workload.Role {
	for _, r := range s.Workload.Roles(s.Parameters) {
		if slices.Contains(r.Kinds, s.Engine.Kind()) {
			return r
		}
	}
	return workload.Role{}
}

func (s Suite) kinds() workload.Kinds { return workload.Kinds{s.role().Name: s.Engine.Kind()} }

// start starts an instance for the suite's data set.
func (s Suite) start(t *testing.T) *Instance {
	return Start(t, s.Engine, s.role().Name, s.Workload.Dataset(s.Parameters, s.kinds(), seed))
}

func (s Suite) dataset(t *testing.T) {
	d := s.Workload.Dataset(s.Parameters, s.kinds(), seed)
	if d.Key == "" || d.Bytes <= 0 || d.Description == "" {
		t.Errorf("data set %+v", d)
	}
	if again := s.Workload.Dataset(s.Parameters, s.kinds(), seed); again != d {
		t.Errorf("data set changes from %+v to %+v", d, again)
	}
	if other := s.Workload.Dataset(s.Parameters, s.kinds(), seed+1); other.Key == d.Key {
		t.Errorf("key %q does not depend on the seed", d.Key)
	}
}

// prepareCancelled breaks a load off in its midst.
func (b *bench) prepareCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := b.Workload.Prepare(ctx, b.instance.Admin(), b.Parameters, seed, func(share float64) {
		if share > 0.2 {
			cancel()
		}
	})
	if err == nil {
		t.Error("no error")
	}
	t.Logf("error: %v", err)
	b.Empty(t, b.instance.Admin())
}

func (b *bench) prepare(t *testing.T) {
	before := b.instance.diskUse(t)
	last := -1.0
	err := b.Workload.Prepare(t.Context(), b.instance.Admin(), b.Parameters, seed, func(share float64) {
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
	grown := b.instance.diskUse(t) - before
	said := b.Workload.Dataset(b.Parameters, b.kinds(), seed).Bytes
	t.Logf("the volume has grown by %.1f MB, logs included; Dataset says %.1f MB", float64(grown)/1e6, float64(said)/1e6)
}

func (b *bench) prepareAgain(t *testing.T) {
	err := b.Workload.Prepare(t.Context(), b.instance.Admin(), b.Parameters, seed, func(float64) {})
	if err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("the error does not say that the instance must be empty: %v", err)
	}
}
