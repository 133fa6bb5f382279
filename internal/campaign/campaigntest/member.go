package campaigntest

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
)

// Names of what members add to the world: a workload whose records take ten times as long,
// one whose users read the pages of an existing site, and one without an audit.
const (
	SlowName    = "fakeslow"
	BrowserName = "fakebrowser"
	UnaskedName = "fakeunasked"
)

// SlowTime is how long a record of the slow workload takes.
const SlowTime = 10 * serviceTime

// WithMembers adds them to the world.
func (w *World) WithMembers() {
	w.with = append(w.with, func(p *facts.Parts) {
		p.Workloads[SlowName] = slow{&work{w: w}}
		p.Workloads[BrowserName] = browser{}
		p.Workloads[UnaskedName] = unasked{&work{w: w}}
	})
}

// Tile is a plan of one variant of members, so many trials at each rung.
func Tile(rungs []int, repetitions int, members ...study.Member) *plan.Plan {
	v := study.Variant{Name: "a", StorageName: "mem", Storages: map[string]study.Storage{"mem": {Class: ClassName}}, Members: members}
	p := Plan([]study.Variant{v}, rungs, repetitions)
	p.Study.Members = members
	return p
}

// Member is one on databases of its own, or on an existing site where it has some.
func Member(name, of string, weight int, sites ...string) study.Member {
	m := study.Member{Name: name, Weight: weight, Application: study.Application{Workload: study.Workload{Name: of, Parameters: &Parameters{}}, Load: study.Load{Users: 2}}}
	if m.Target = sites; len(sites) == 0 {
		m.Stack = map[string]study.Engine{dbRole: {Name: DB}}
	}
	return m
}

// Beside makes a variant the member "one" of a tile that has another member, too.
func Beside(v study.Variant, other study.Member) study.Variant {
	v.Members = []study.Member{{Name: "one", Weight: 1, Application: study.Application{Workload: v.Workload, Stack: v.Stack, Load: v.Load}}, other}
	v.Workload, v.Stack, v.Load = study.Workload{}, nil, study.Load{}
	return v
}

// Bursty has a member's users at work for one of every two seconds.
func Bursty(m study.Member) study.Member {
	m.Load.Bursts = &study.Bursts{Every: unit.Duration(2 * time.Second), On: unit.Duration(time.Second)}
	return m
}

// unasked is a workload that nobody can audit.
type unasked struct{ workload.Workload }

func (unasked) Name() string { return UnaskedName }

func (unasked) Capabilities() workload.Capabilities { return workload.Capabilities{} }

func (u unasked) Describe(p workload.Parameters) describe.Profile {
	profile := u.Workload.Describe(p)
	profile.Workload, profile.Correctness = UnaskedName, "nothing is written"
	return profile
}

// slow is a workload that is fast but for its users.
type slow struct{ *work }

func (slow) Name() string { return SlowName }

func (s slow) Describe(p workload.Parameters) describe.Profile {
	profile := s.work.Describe(p)
	profile.Workload = SlowName
	return profile
}

func (s slow) Open(ctx context.Context, t workload.Target, p workload.Parameters, user int, seed uint64) (workload.Session, error) {
	of, err := s.work.Open(ctx, t, p, user, seed)
	return slowly{of}, err
}

// slowly is one of its users.
type slowly struct{ workload.Session }

func (s slowly) Do(ctx context.Context, rec workload.Recorder) error {
	if err := sleep(ctx, SlowTime-serviceTime); err != nil {
		return err
	}
	return s.Session.Do(ctx, longer{rec})
}

// longer observes units that began before.
type longer struct{ workload.Recorder }

func (l longer) Observe(operation int, began time.Time, took time.Duration, o workload.Outcome) {
	l.Recorder.Observe(operation, began.Add(serviceTime-SlowTime), took+SlowTime-serviceTime, o)
}

// browser is a workload on existing sites, which nobody audits.
type browser struct{}

func (browser) Name() string                  { return BrowserName }
func (browser) Defaults() workload.Parameters { return &Parameters{} }

func (browser) Describe(workload.Parameters) describe.Profile {
	return describe.Profile{
		Workload: BrowserName, Operations: []string{"page"},
		Unit: describe.Unit{Name: "page", Plural: "pages", Throughput: "pages/min", Seconds: 60},
	}
}

func (browser) Capabilities() workload.Capabilities { return workload.Capabilities{} }

func (browser) Roles(workload.Parameters) []workload.Role {
	return []workload.Role{{Name: "site", Kinds: []string{endpoint.Site}, Needed: workload.WhileDriven}}
}

func (browser) Dataset(workload.Parameters, workload.Kinds, uint64) workload.Dataset {
	return workload.Dataset{Description: "what the site has"}
}

func (browser) Prepare(context.Context, workload.Target, workload.Parameters, uint64, func(float64)) error {
	return errors.New("nobody prepares an existing site")
}

func (browser) Open(_ context.Context, t workload.Target, _ workload.Parameters, _ int, _ uint64) (workload.Session, error) {
	_, err := endpoint.As[endpoint.Pages](t.Endpoints[0])
	return &reader{}, err
}

// reader is one of its users, who reads a page in 50 ms.
type reader struct{ broken atomic.Bool }

func (r *reader) Do(ctx context.Context, rec workload.Recorder) error {
	began := time.Now()
	if err := sleep(ctx, serviceTime/2); err != nil {
		return err
	}
	rec.Observe(0, began, time.Since(began), workload.Done)
	return nil
}

func (r *reader) Broken() bool { return r.broken.Load() }
func (r *reader) Close() error { return nil }
