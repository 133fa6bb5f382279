package result

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Summary is what the records of all drivers of a trial come to.
type Summary struct {
	// Operations, Instances and Drivers go into the Trial.
	Operations map[string]OperationSummary
	Instances  []InstanceSummary
	Drivers    []DriverSummary
	Events     []Event
	// Ended is when the last driver ended, zero where none did.
	Ended time.Time
	// Began is when the first unit of fixed work did; zero where none did.
	Began time.Time
	// Stonewalled is the stonewalled result of fixed work, and Finished when its last user
	// finished; nil and zero if no user did.
	Stonewalled *Stonewall
	Finished    time.Time
	// Bursts is the unit of work on and off burst; nil where there are none.
	Bursts *Bursts
	// Series go into telemetry.parquet: a set for each operation (kind
	// "operation"), each driver (kind "driver") and each instance's work.
	Series []Series
	// Unended lists drivers without an end record: they crashed or were
	// killed.
	Unended []string
	// Problems are lines that could not be used, at most maxProblems of them.
	Problems []Problem
}

const maxProblems = 100

// Damage says in words what of the records could not be used.
func (s *Summary) Damage() []string {
	var out []string
	for _, p := range s.Problems {
		out = append(out, p.String())
	}
	for _, name := range s.Unended {
		out = append(out, name+": its records have no end marker: it crashed or was killed, and its last records are missing")
	}
	return out
}

// Collect sums the records of a trial's drivers over the measured phase. start
// is the common start, as in the drivers' jobs, and whole the operation that is
// the unit of work.
func Collect(files []string, start time.Time, whole string) (*Summary, error) {
	return collect(files, start, whole, nil, nil)
}

// collect does so with the seconds of bursts apart, none is no bursts, and without some
// instances.
func collect(files []string, start time.Time, whole string, bursts, without map[int]bool) (*Summary, error) {
	all, err := openStreams(files)
	if err != nil {
		return nil, err
	}
	defer all.close()
	c := newCollector(start, whole)
	c.bursts, c.left.instances = newBurstTotal(bursts), without
	err = all.each(func(s *stream) error {
		c.line(s)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("collect records: %w", err)
	}
	return c.summary(), nil
}

// collector takes records in the order of their seconds.
type collector struct {
	start      time.Time
	whole      string // the operation that is the unit of work
	seconds    int    // with operations or drivers at work: the largest + 1
	operations map[string]*operationTotal
	drivers    map[string]*driverTotal
	instances  map[int]*instanceTotal
	waiting    waitingTotal
	bursts     *burstTotal // nil without bursts
	left       exclusions
	out        Summary
}

func newCollector(start time.Time, whole string) *collector {
	return &collector{
		start: start, whole: whole,
		operations: map[string]*operationTotal{},
		drivers:    map[string]*driverTotal{},
		instances:  map[int]*instanceTotal{},
	}
}

func (c *collector) line(s *stream) {
	var r Record
	err := s.head.err
	if err == nil {
		err = json.Unmarshal(s.head.text, &r)
	}
	if err == nil {
		err = r.check()
	}
	if err == nil {
		if r.Driver == "" {
			r.Driver = s.driver()
		}
		err = c.record(r)
	}
	if err != nil && len(c.out.Problems) < maxProblems {
		c.out.Problems = append(c.out.Problems, Problem{File: s.name, Reason: fmt.Sprintf("line %d: %s", s.head.number, reason(err))})
	}
}

func (c *collector) record(r Record) error {
	switch r.Kind {
	case KindOperation:
		c.seconds = max(c.seconds, r.Second+1)
		return c.operation(r)
	case KindDriver:
		c.seconds = max(c.seconds, r.Second+1)
		c.driver(r.Driver).add(r)
		c.units(r)
	case KindInstance:
		if c.left.instances[r.Instance.Instance] {
			return c.left.add(c.whole, r.Instance)
		}
		return c.instance(r.Instance.Instance).set(r.Instance)
	case KindWaiting:
		return c.waiting.add(r.Waiting)
	case KindBegan:
		if c.out.Began.IsZero() || r.At.Before(c.out.Began) {
			c.out.Began = r.At
		}
	case KindFinished:
		c.driver(r.Driver).finish(r, c.start)
		if r.At.After(c.out.Finished) {
			c.out.Finished = r.At
		}
	case KindCeiling:
		c.driver(r.Driver).Ceiling = r.Ceiling
	case KindEvent:
		c.out.Events = append(c.out.Events, Event{At: c.timeOf(r), Text: r.Event})
	case KindEnd:
		c.driver(r.Driver).ended = true
		if r.At.After(c.out.Ended) {
			c.out.Ended = r.At
		}
	default:
		return fmt.Errorf("unknown kind of record %q", r.Kind)
	}
	return nil
}

func (c *collector) operation(r Record) error {
	o, ok := c.operations[r.Operation]
	if !ok {
		o = newOperationTotal()
		c.operations[r.Operation] = o
		if r.Operation == c.whole {
			o.bursts = c.bursts
		}
	}
	if d := c.driver(r.Driver); r.Operation == c.whole && r.Phase == Measure {
		d.did(r)
	}
	return o.add(r)
}

func (c *collector) driver(name string) *driverTotal {
	d, ok := c.drivers[name]
	if !ok {
		d = &driverTotal{DriverSummary: DriverSummary{Name: name}}
		c.drivers[name] = d
	}
	return d
}

func (c *collector) instance(number int) *instanceTotal {
	i, ok := c.instances[number]
	if !ok {
		i = &instanceTotal{}
		c.instances[number] = i
	}
	return i
}

func (c *collector) units(r Record) {
	for number, n := range r.Units {
		if c.left.instances[number] {
			continue
		}
		c.instance(number).seen(r.Second, n, r.Phase == Measure)
	}
}

func (c *collector) timeOf(r Record) time.Time {
	if !r.At.IsZero() {
		return r.At
	}
	return c.start.Add(time.Duration(r.Second) * time.Second)
}

func (c *collector) summary() *Summary {
	s := &c.out
	s.Operations = map[string]OperationSummary{}
	c.leaveOut()
	c.countWaiting()
	clock := secondsClock(c.start, c.seconds)
	for _, name := range slices.Sorted(maps.Keys(c.operations)) {
		o := c.operations[name]
		summary, err := o.summary()
		if err != nil {
			s.Problems = append(s.Problems, Problem{File: RecordsFile, Reason: fmt.Sprintf("operation %s: %v", name, err)})
		}
		s.Operations[name] = summary
		s.Series = append(s.Series, o.series(name, clock)...)
	}
	for _, name := range slices.Sorted(maps.Keys(c.drivers)) {
		d := c.drivers[name]
		s.Drivers = append(s.Drivers, d.summary())
		s.Series = append(s.Series, d.series(clock)...)
		if !d.ended {
			s.Unended = append(s.Unended, name)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(c.instances)) {
		i := c.instances[number]
		s.Instances = append(s.Instances, i.summary(number, len(c.instances) == 1))
		s.Series = append(s.Series, i.series(number, clock))
	}
	var err error
	if s.Bursts, err = c.bursts.summary(); err != nil {
		s.Problems = append(s.Problems, Problem{File: RecordsFile, Reason: fmt.Sprintf("bursts: %v", err)})
	}
	s.Stonewalled = c.stonewall()
	slices.SortStableFunc(s.Events, func(a, b Event) int { return a.At.Compare(b.At) })
	return s
}
