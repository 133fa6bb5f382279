package campaigntest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
)

// WorkName is the workload in studies: users write records, each on a web server
// that keeps it in a database.
const WorkName = "fake"

// Parameters say what an instance consists of besides a database.
type Parameters struct {
	Web       bool `yaml:"web,omitempty" json:"web,omitempty" jsonschema:"description=web servers that users talk to"`
	Stateless bool `yaml:"stateless,omitempty" json:"stateless,omitempty" jsonschema:"description=these keep nothing"`
	Files     bool `yaml:"files,omitempty" json:"files,omitempty" jsonschema:"description=a volume without a server that holds records too"`
	InPlace   bool `yaml:"in_place,omitempty" json:"in_place,omitempty" jsonschema:"description=each instance is prepared by itself"`
	Unkeyed   bool `yaml:"unkeyed,omitempty" json:"unkeyed,omitempty" jsonschema:"description=a table has no primary key"`
	// Records makes the work fixed.
	Records int `yaml:"records,omitempty" json:"records,omitempty" jsonschema:"description=how many the first user writes; the second writes twice as many and so on; 0 is no end"`
}

// Validate implements workload.Parameters.
func (*Parameters) Validate() []describe.Problem { return nil }

// Workloads registers the workload.
func (w *World) Workloads() workload.Registry { return workload.NewRegistry(&work{w: w}) }

type work struct {
	w    *World
	name string // empty is WorkName
}

func (k *work) Capabilities() workload.Capabilities { return workload.Capabilities{Audit: k.Audit} }

func (k *work) Name() string                { return cmp.Or(k.name, WorkName) }
func (*work) Defaults() workload.Parameters { return &Parameters{} }

// Unit is what the workload counts.
const Unit = "record"

func (k *work) Describe(p workload.Parameters) describe.Profile {
	return describe.Profile{
		Fixed:    p.(*Parameters).Records > 0,
		Workload: k.Name(), Operations: []string{Unit},
		Unit: describe.Unit{Name: Unit, Plural: "records", Throughput: "records/s", Seconds: 1},
	}
}

// Roles of an instance.
const (
	dbRole    = "db"
	webRole   = "web"
	filesRole = "files"
)

func (*work) Roles(p workload.Parameters) []workload.Role {
	roles := []workload.Role{{Name: dbRole, Kinds: []string{databaseKind}, Mounts: workload.Data(), Needed: workload.Always}}
	if p.(*Parameters).Web {
		web := workload.Role{
			Name: webRole, Kinds: []string{webKind}, After: []string{dbRole}, Needed: workload.WhileDriven,
			Content: map[string]string{"index": "welcome"},
		}
		if !p.(*Parameters).Stateless {
			web.Mounts, web.Needed = workload.Data(), workload.Always
		}
		roles = append(roles, web)
	}
	if p.(*Parameters).Files {
		roles = append(roles, workload.Role{Name: filesRole, Kinds: []string{endpoint.Directory}, Needed: workload.Always})
	}
	return roles
}

func (k *work) Dataset(p workload.Parameters, _ workload.Kinds, seed uint64) workload.Dataset {
	return ten(k.Roles(p), p, seed)
}

// ten is the data set of each role that keeps something.
func ten(roles []workload.Role, p workload.Parameters, seed uint64) workload.Dataset {
	d := workload.Dataset{Description: "ten records", Roles: map[string]workload.Contents{}}
	for _, r := range roles {
		if len(r.Mounts) == 0 && r.Kinds[0] == webKind {
			continue
		}
		c := workload.Contents{Space: workload.Space{Bytes: 10}}
		if r.Kinds[0] == databaseKind {
			c.Database, c.User = "fake", "web"
			if p.(*Parameters).Unkeyed {
				c.Unkeyed = []string{"records"}
			}
		}
		if !p.(*Parameters).InPlace {
			c.Key = fmt.Sprint("ten from ", seed)
		}
		d.Roles[r.Name] = c
	}
	return d
}

// loaded begins the records of a data set.
const loaded = "loaded "

// Prepare loads half of the data set, and a second later the rest.
func (k *work) Prepare(ctx context.Context, t workload.Target, _ workload.Parameters, _ uint64, progress func(float64)) error {
	k.w.called("Workload.Prepare", t.Users)
	if err := k.w.call("Workload.Prepare", t.Endpoint(dbRole).Address); err != nil {
		return err
	}
	if err := k.w.mustBeEmpty(stateful(t)); err != nil {
		return err
	}
	for half := range 2 {
		for _, e := range stateful(t) {
			if err := errors.Join(killed(ctx), k.w.use(e, func(records map[string]bool) { fill(records, half) })); err != nil {
				return err
			}
		}
		if err := sleep(ctx, time.Second); err != nil {
			return err
		}
		progress(float64(half+1) / 2)
	}
	return nil
}

// mustBeEmpty refuses what holds records of a data set already.
func (w *World) mustBeEmpty(all []endpoint.Endpoint) error {
	for _, e := range all {
		there := false
		err := w.use(e, func(records map[string]bool) { there = records[fmt.Sprint(loaded, 0)] })
		if err != nil {
			return err
		}
		if there {
			return fmt.Errorf("load into %s of role %s: it must be empty", e.Address, e.Role)
		}
	}
	return nil
}

func fill(records map[string]bool, half int) {
	for n := range 5 {
		records[fmt.Sprint(loaded, 5*half+n)] = true
	}
}

// stateful are the endpoints that keep records.
func stateful(t workload.Target) []endpoint.Endpoint {
	return slices.DeleteFunc(slices.Clone(t.Endpoints), func(e endpoint.Endpoint) bool { return e.Role == webRole })
}

// use does something with the records behind an endpoint.
func (w *World) use(e endpoint.Endpoint, do func(records map[string]bool)) error {
	if e.Network == "tcp" {
		d := w.Database(e.Address + "/" + endpoint.Database(e))
		w.mu.Lock()
		defer w.mu.Unlock()
		do(d.Records)
		d.Tables = d.Tables || len(d.Records) > 0
		return nil
	}
	path, err := w.pathOf(e)
	if err != nil {
		return err
	}
	if path == "" { // a server that keeps nothing
		do(map[string]bool{})
		return nil
	}
	return w.volume(path, func(v *volume) error {
		if v.dark {
			return fmt.Errorf("write to %s: %w", path, syscall.EIO)
		}
		do(v.records)
		return nil
	})
}

// pathOf is where the records behind an endpoint are, empty where it keeps none.
func (w *World) pathOf(e endpoint.Endpoint) (string, error) {
	if path := endpoint.PathOf(e); path != "" {
		return path, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	path, ok := w.state.serving[e.Address]
	if !ok {
		return "", fmt.Errorf("connect to %s: %w", e.Address, syscall.ECONNREFUSED)
	}
	return path, nil
}

// rollBack takes a record back, as recovery does with what was not committed everywhere
// when the power went.
func (w *World) rollBack(path, record string) {
	if path != "" {
		_ = w.volume(path, func(v *volume) error { delete(v.records, record); return nil }) // a volume that is gone has none
	}
}

func (k *work) Open(_ context.Context, t workload.Target, p workload.Parameters, user int, seed uint64) (workload.Session, error) {
	if err := k.w.call("Workload.Open", fmt.Sprint(user)); err != nil {
		return nil, err
	}
	s := &session{w: k.w, fixed: p.(*Parameters).Records * (user + 1), stateful: stateful(t), name: fmt.Sprintf("%d/%x/%d", user, seed, time.Now().UnixNano())}
	for _, e := range t.Endpoints {
		if e.Role == webRole {
			s.web = append(s.web, e)
		}
	}
	return s, nil
}

// session is one user.
type session struct {
	w        *World
	stateful []endpoint.Endpoint
	web      []endpoint.Endpoint
	name     string
	written  int
	fixed    int // how many it is to write; 0 is until the end of the phase
	broken   atomic.Bool
}

// serviceTime is how long a record takes.
const serviceTime = 100 * time.Millisecond

func (s *session) Do(ctx context.Context, rec workload.Recorder) error {
	if s.fixed > 0 && s.written == s.fixed {
		return workload.ErrFinished
	}
	began := time.Now()
	if err := sleep(ctx, serviceTime); err != nil {
		return err
	}
	err := killed(ctx)
	if err == nil { // a driver that was killed writes nothing
		err = s.write(fmt.Sprint(s.name, "/", s.written))
	}
	if err != nil {
		s.broken.Store(true)
		return err
	}
	rec.Observe(0, began, time.Since(began), workload.Done)
	rec.Receipt(fmt.Append(nil, s.name, "/", s.written))
	s.written++
	return nil
}

func (s *session) write(record string) error {
	if len(s.web) > 0 {
		if err := s.w.use(s.web[s.written%len(s.web)], func(map[string]bool) {}); err != nil {
			return err
		}
	}
	paths := make([]string, len(s.stateful)) // found while the servers run: one that dies rolls back its writes
	for n, e := range s.stateful {
		paths[n], _ = s.w.pathOf(e) // use returns the error
	}
	for n, e := range s.stateful {
		if err := s.w.use(e, func(records map[string]bool) { records[record] = true }); err != nil {
			for _, done := range paths[:n] {
				s.w.rollBack(done, record)
			}
			return err
		}
	}
	return nil
}

func (s *session) Broken() bool { return s.broken.Load() }
func (s *session) Close() error { return nil }

func (k *work) Audit(ctx context.Context, t workload.Target, _ workload.Parameters, _ uint64, receipts workload.Receipts) (describe.Audit, error) {
	k.w.called("Workload.Audit", t.Users)
	if err := k.w.call("Workload.Audit", fmt.Sprint(t.Instance)); err != nil {
		return describe.Audit{}, err
	}
	kept := map[string]int{} // by receipt, how often it came
	a := describe.Audit{}
	err := receipts(func(r []byte) bool { kept[string(r)]++; a.Acknowledged++; return true })
	for _, e := range stateful(t) {
		if err == nil {
			err = k.w.use(e, func(records map[string]bool) { a.Checks = append(a.Checks, compare(e.Role, kept, records)...) })
		}
	}
	if len(a.Checks) > 0 {
		a.Present = a.Checks[0].Found
	}
	return a, errors.Join(err, killed(ctx))
}

// compare compares receipts with records.
func compare(role string, kept map[string]int, records map[string]bool) []describe.Check {
	all := describe.Check{Name: "every acknowledged record is in " + role, Expected: int64(len(kept))}
	once := describe.Check{Name: "no receipt came twice", Expected: int64(len(kept))}
	for r, times := range kept {
		if records[r] {
			all.Found++
		} else {
			all.Examples = append(all.Examples, r)
		}
		if times == 1 {
			once.Found++
		}
	}
	written := describe.Check{Name: "every record in " + role + " was acknowledged", Expected: int64(len(kept))}
	ten := describe.Check{Name: "the data set is in " + role, Expected: 10}
	for r := range records {
		if strings.HasPrefix(r, loaded) {
			ten.Found++
		} else {
			written.Found++
		}
	}
	checks := []describe.Check{all, once, written, ten}
	for n := range checks {
		checks[n].Passed = checks[n].Found == checks[n].Expected
	}
	return checks
}
