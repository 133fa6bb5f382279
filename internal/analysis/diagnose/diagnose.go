// Package diagnose tells what limits a variant at a rung: it takes rungs with their resources and
// gives a typed cause, with the numbers that it rests on. It holds no sentences.
package diagnose

import (
	"cmp"
	"math"
	"slices"

	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/analysis/timeprofile"
	"plimsoll/internal/describe"
)

// Kind says what sort of cause it is.
type Kind string

// Kinds of causes.
const (
	Saturated Kind = "saturated"      // a resource that was measured is used up
	Driver    Kind = "driver"         // it belongs to the load generator
	Users     Kind = "users"          // nothing resists: users think, or there are few
	Spent     Kind = "spent"          // most of the response time, or of its growth, is spent on Component
	Queueing  Kind = "queueing"       // queueing for a resource that is nearly used up can make the response time alone
	Waiting   Kind = "waiting"        // response time grew, and nothing that was measured explains it
	Stolen    Kind = "stolen"         // a CPU is used up, by the hypervisor's other guests, too
	Neighbour Kind = "neighbour"      // a resource is saturated with something that is not the trial's
	Failing   Kind = "failing"        // work or trials fail, with nothing saturated
	Unknown   Kind = "unknown"        // what could limit was not measured
	Uncertain Kind = "uncertain"      // a device may, or may not, be saturated
	FromStart Kind = "from-the-start" // the fewest instances break an objective, with nothing saturated
	Starving  Kind = "starving"       // an instance gets next to nothing
	Uneven    Kind = "uneven"         // instances are not served alike
	Instance  Kind = "instance"       // one instance misses what all others keep, with nothing saturated
	Unsteady  Kind = "unsteady"       // the work was not steady, so that figures over its time show no limit
)

// Cause is why a rung carries no more, as a value to decide by.
type Cause struct {
	// Kind is saturated, driver, users, spent, queueing, waiting, stolen, neighbour, failing,
	// unknown, uncertain, from-the-start, starving, uneven, unsteady or instance.
	Kind Kind `json:"kind"`
	// Resource is the one that is used up, by whomever, or that may be, or that units of work
	// wait for; else the busiest. Empty where nothing was measured, where work that was not
	// steady shows none, and where units of work wait for something else, such as a lock.
	Resource     string        `json:"resource,omitempty"`
	ResourceKind resource.Kind `json:"resource_kind,omitempty"` // its kind
	Role         string        `json:"role,omitempty"`          // whose servers it belongs to
	Machine      string        `json:"machine,omitempty"`       // that it belongs to; empty for the campaign's own
	// Instance is the one that breaks the rung, starves, or did least.
	Instance int `json:"instance,omitempty"`
	// Course is the kind of unsteady work: stall, warm-up, drift, shift, dip, burst, dips,
	// bursts or wave.
	Course steadiness.Kind `json:"course,omitempty"`
	// With is the other stage of two that are both at work all the time, or the resource of
	// WithComponent.
	With string `json:"with,omitempty"`
	// Component is what the response time is spent on, Wait the name of the longest wait of it,
	// and Share that of Component in the growth of the response time. They are missing where
	// the time profile does not carry the cause.
	Component describe.Component `json:"component,omitempty"`
	Wait      string             `json:"wait,omitempty"`
	Share     float64            `json:"share,omitempty"`
	// WithComponent is a second one that matters, and WithShare its share.
	WithComponent describe.Component `json:"with_component,omitempty"`
	WithShare     float64            `json:"with_share,omitempty"`
	// Alone reports that the objectives are missed for it alone.
	Alone bool `json:"alone,omitempty"`
}

// Diagnosis is what limits at a rung.
type Diagnosis struct {
	Kind Kind // Saturated for Driver, too
	// Top is the resource that the cause belongs to, or else the busiest; nil where nothing
	// was measured.
	Top *resource.Resource
	// Growth is the response time at the rung over that at the smallest.
	Growth float64
	// Device is the one that may be saturated, for Uncertain; else nil.
	Device *resource.Resource
	// Shared is the resource that others use, too, for Neighbour; else nil.
	Shared *resource.Resource
	// Course is the unsteady work, for Unsteady; else nil. It happened in Trials of them.
	// Alone reports that the objectives are missed only because of it.
	Course *rung.UnsteadyTrial
	Trials int
	Alone  bool
	// With is a second stage that is always busy, next to Top; empty if Top is not a stage,
	// or alone.
	With string
	// Time divides the growth of the response time; nil where that is not known.
	Time *timeprofile.Attribution
	// Objective is the one that an instance misses in every trial, for Instance; else nil.
	Objective *rung.ObjectiveResult

	waitedFor *resource.Resource // what the first component of Time is spent at; nil for none
	beside    *resource.Resource // the same of a second cause
	makesIt   bool               // queueing for Top can make the response time
}

// Cause returns the diagnosis as a value to decide by.
func (d Diagnosis) Cause() Cause {
	c := Cause{Kind: d.Kind}
	if d.Kind == Unsteady {
		c.Course, c.Alone = d.Course.Course.Kind, d.Alone
		return c
	}
	if d.Kind == Instance {
		c.Instance = d.Objective.Worst.Instance
		return c
	}
	about := d.Top
	switch d.Kind {
	case Uncertain:
		about = d.Device
	case Neighbour:
		about = d.Shared
	}
	d.setTime(&c)
	if about == nil || d.Kind == Spent && d.waitedFor == nil {
		return c
	}
	if slices.Contains([]Kind{Saturated, Spent, Queueing}, d.Kind) && about.Drives() {
		c.Kind = Driver
	}
	if about.Step != nil && about.Step.Both {
		c.With = d.With
	}
	c.Resource, c.ResourceKind, c.Role, c.Machine = about.Name, about.Kind, cmp.Or(about.Role, c.Role), about.Machine
	return c
}

// Unharmed is the growth of response time up to which nothing is taken to
// resist: a single server at 50 % answers twice as slowly as when idle.
const Unharmed = 2

// slight is the growth of response time up to which nothing resists even where an objective is
// missed.
const slight = 1.25

// nearlyAll is the efficiency from which a rung is taken to grow with the load.
const nearlyAll = 0.8

// Possible reports whether anything can be said about the bottleneck at a rung: something
// was sampled, work fails, or a stall alone breaks it.
func Possible(r *rung.Rung) bool {
	return len(r.Resources) > 0 || rung.Failing(r) || r.BrokenByStalls() != nil
}

// Diagnose tells what limits a variant at a rung.
func Diagnose(rungs []rung.Rung, line loadline.LoadLine, r *rung.Rung) Diagnosis {
	d := Diagnosis{Top: resource.Busiest(r.Resources), Growth: 1}
	if first := rung.First(rungs); first != nil && first.Mean.Value > 0 && r.Mean.Value > 0 {
		d.Growth = r.Mean.Value / first.Mean.Value
	}
	if d.Course, d.Trials = r.Doubted(); r.BrokenByStalls() != nil {
		d.Course, d.Trials, d.Alone = r.BrokenByStalls(), 1, true
	}
	d.Objective, d.With = byInstance(r), resource.OtherStep(r.Resources, d.Top)
	d.attribute(rungs, line, r)
	d.makesIt = d.queueingMakes(rung.First(rungs), r)
	d.Kind = kindOf(d, line, r)
	if d.decides(d.Kind) && d.waitedFor != nil {
		d.Top = d.waitedFor
	}
	switch d.Kind {
	case Uncertain:
		d.Device = resource.FirstUncertain(r.Resources)
	case Neighbour:
		d.Shared = cmp.Or(resource.Shared(r.Resources), d.waitedFor)
	}
	return d
}

// easy reports whether nothing seems to resist at a rung.
func (d Diagnosis) easy(r *rung.Rung) bool { return d.Growth < Unharmed && r.Efficiency >= nearlyAll }

// keptEasily reports whether a rung is within the objectives, and nothing seems to resist there.
func (d Diagnosis) keptEasily(line loadline.LoadLine, r *rung.Rung) bool {
	return d.easy(r) && line.Next != r.Instances
}

func kindOf(d Diagnosis, line loadline.LoadLine, r *rung.Rung) Kind {
	easy, users := d.easy(r), d.keptEasily(line, r)
	first := line.Rung == 0 && line.Next == r.Instances
	switch {
	case d.Alone:
		return Unsteady
	case d.carries() && d.Time.Counted && !users && !rung.Failing(r) && d.Objective == nil:
		return d.byTime()
	case d.Top != nil && d.Top.Limits():
		if d.Top.LosesToGuests() {
			return Stolen
		}
		return Saturated
	case rung.Failing(r):
		return Failing
	case resource.Shared(r.Resources) != nil:
		return Neighbour
	case d.Objective != nil:
		return Instance
	case d.Top == nil || r.Unmeasured().Any() && !easy:
		return Unknown
	case d.Course != nil && (first || !easy): // a resource may have been used up for a part of the time
		return Unsteady
	case d.carries() && !users:
		return Spent
	case d.makesIt && !users:
		return Queueing
	case first:
		return FromStart
	case users, easy && d.Growth < slight:
		return Users
	case resource.FirstUncertain(r.Resources) != nil:
		return Uncertain
	}
	return Waiting
}

// byInstance is an objective that breaks the rung for one instance alone, the same in every
// trial; nil if something else breaks it, too. Resources that the instances share are then
// not the cause.
func byInstance(r *rung.Rung) (alone *rung.ObjectiveResult) {
	for i := range r.Objectives {
		o := &r.Objectives[i]
		switch {
		case o.Kept:
		case !o.ByInstance() || !o.Worst.Always() || alone != nil && alone.Worst.Instance != o.Worst.Instance:
			return nil
		case alone == nil:
			alone = o
		}
	}
	if r.Break.Any() {
		return nil
	}
	return alone
}

// mostOf is the share of a response time from which it is said to be spent somewhere.
const mostOf = 0.5

// QueuedAt is the device in whose queue, service included, a unit of work spends most of
// its response time by Little's law, W = L/X; nil if there is none.
func QueuedAt(r *rung.Rung) *resource.Resource {
	for i := range r.Resources {
		if d := &r.Resources[i]; d.Kind == resource.Device && !d.Contradicts() && r.QueuedFor(d) >= mostOf*r.Mean.Value {
			return d
		}
	}
	return nil
}

// always is the share of time from which on a device was never idle.
const always = 0.95

// InSeries is a device that always had requests under way, but at most half as many as it
// serves at once, while units of work spent most of their response time outside its queue:
// users waited for each other's requests to end, not for a place at the device, as commits
// do in the log of a file system that instances share. It is nil if there is none.
func InSeries(r *rung.Rung) *resource.Resource {
	for i := range r.Resources {
		d := &r.Resources[i]
		if d.Kind == resource.Device && !d.Contradicts() && !d.Uncertain && d.Busy >= always && d.Queue > 0 && d.Queue <= d.Servers/2 &&
			r.UnitsPerSecond > 0 && r.QueuedFor(d) < mostOf*r.Mean.Value {
			return d
		}
	}
	return nil
}

// BoundByContainer reports whether the quota of what Plimsoll runs in holds a rung back.
func BoundByContainer(r *rung.Rung) bool {
	top := resource.Limiting(r.Resources)
	return top != nil && top.Kind == resource.Container
}

// steep is the exponent of growth from which response time is said to spike:
// ten per cent more load makes it half as long again.
const steep = 4

// Spikes reports whether response time spikes between two rungs: it doubles at least, and grows by
// a larger power of the load than steep.
func Spikes(a, b *rung.Rung) bool {
	growth := b.Mean.Value / a.Mean.Value
	return growth >= 2 && math.Log(growth) > steep*math.Log(float64(b.Instances)/float64(a.Instances))
}

// WithBottlenecks names, at each rung, the resource that limits, if any that
// was measured does.
func WithBottlenecks(rungs []rung.Rung) []rung.Rung {
	rungs = slices.Clone(rungs)
	for i := range rungs {
		if top := resource.Limiting(rungs[i].Resources); top != nil {
			rungs[i].Bottleneck = top.Name
		}
	}
	return rungs
}
