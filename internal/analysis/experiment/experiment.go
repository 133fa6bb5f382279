// Package experiment chooses the next measurement to prove or disprove a variant's
// bottleneck, with the closed network's prediction of its result. It produces no sentences.
package experiment

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/queueing"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/scale"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Kind says what an experiment does.
type Kind int

// Kinds of experiments. Those that change one setting name it in Experiment.Path.
const (
	FindLimit      Kind = iota // twice the users: nothing resisted
	FindLock                   // twice the users: response time grew, and nothing is saturated
	MoreThreads                // twice the users: each used up a core of the driver
	StartLower                 // fewer instances than the smallest rung
	FindErrors                 // none: work fails
	Observe                    // the same rung, with telemetry
	MeasureWidth               // how many requests a device serves in parallel
	StopNeighbours             // the same rung where nothing else uses a resource
	MeasureSteady              // the same rung, once its work is steady
	MoreCores                  // of the machine
	HalveCPU                   // of whom the instances consist of
	MoreStorageCPU             // of the storage's servers
	FasterMedium               // below the volumes
	RaiseQuota                 // of a role's servers
	MoreServers                // of a role
	MoreWorkers                // in each server of a role
	FewerOnDriver              // fewer instances
	MoreDrivers                // more machines, or cores, for them
	DriversApart               // on another machine
	RaiseContainer             // the quota that Plimsoll runs in
	LiftStage                  // less for a stage to do, or a faster link
	SpreadThread               // over more of a machine's cores
	MoreMemory                 // or less in it
	FindOdd                    // what sets one instance apart
	LeaveGuests                // the same rung, where no other guests take the CPU
	VaryLock                   // what takes a lock, or holds it
	LessWork                   // that a unit of work makes on a CPU
	FindWait                   // what units of work wait for, of which only the sort is known
	TellApart                  // the same rungs more often: waiting explains the growth, and no part of it stands out
	RaiseCapacity              // of any other resource
)

// Experiment is what to measure next.
type Experiment struct {
	Kind     Kind
	Top      resource.Resource // the saturated resource, for experiments that relieve one
	Path     string            // of the setting to change, dotted as in a study's matrix; empty where it changes none
	From, To string            // its value as measured, and to measure
	Rungs    []int             // where to measure
	// Beside are other settings that may relieve the same resource.
	Beside []Setting
	// Expect is what throughput does if the finding is right: better, worse or same.
	Expect string
	// Forecast is the network's prediction, if it was asked.
	Forecast Forecast
	// Throughput is predicted at the first of Rungs; 0 where it is not.
	Throughput stats.Interval
	Server     result.Server           // whose CPU, quota or workers change
	Whom       string                  // whose CPU is halved: "instance", "php server"
	Course     steadiness.Unsteadiness // the unsteady work, for MeasureSteady
	Cause      diagnose.Cause          // what the time is spent on, for VaryLock, LessWork and FindWait
	// Missing are the missing measurements, for Observe.
	Missing resource.BlindSpots
	// Tunable reports that Plimsoll started the servers, whose settings can be varied.
	Tunable bool
	// Doubles reports that the change lets what limits do exactly twice as much.
	Doubles bool
}

// Setting is one of the study, at its value as measured and at that to measure.
type Setting struct{ Path, From, To string }

// ofCause are the experiments that need to know the cause alone.
var ofCause = map[diagnose.Kind]Kind{
	diagnose.FromStart: StartLower,
	diagnose.Failing:   FindErrors,
	diagnose.Unknown:   Observe,
	diagnose.Uncertain: MeasureWidth,
	diagnose.Neighbour: StopNeighbours,
	diagnose.Stolen:    LeaveGuests,
	diagnose.Instance:  FindOdd,
}

// For chooses the experiment by the bottleneck at a rung; ok is false if there is none.
func For(s *setup.Subject, v *model.Variant, r *rung.Rung) (Experiment, bool) {
	d := diagnose.Diagnose(v.Rungs, v.LoadLine, r)
	e := Experiment{Rungs: []int{r.Instances}, Expect: "better"}
	switch d.Kind {
	case diagnose.Users:
		return e.moreUsers(s, v, FindLimit)
	case diagnose.Spent:
		return e.shorten(s, v, r, d)
	case diagnose.Queueing:
		e.Top = *d.Top
		return e.relieve(s, v, r)
	case diagnose.Waiting:
		if d.Explained() {
			e.Kind = TellApart
			return e, true
		}
		if top := d.QueuesAt(r, scale.ClosedAt(s.Scale(v), r)); top != nil {
			e.Top = *top
			return e.relieve(s, v, r)
		}
		e.Expect = "same"
		_, e.Tunable = s.ServerPath(v, "", "cpu")
		return e.moreUsers(s, v, FindLock)
	case diagnose.Unsteady:
		e.Kind, e.Course = MeasureSteady, d.Course.Course
		return e, true
	}
	switch d.Kind {
	case diagnose.Unknown:
		e.Missing = r.Unmeasured()
	case diagnose.Neighbour:
		e.Top = *d.Shared
	}
	if kind, alone := ofCause[d.Kind]; alone {
		e.Kind = kind
		return e, true
	}
	e.Top = *d.Top
	return e.relieve(s, v, r)
}

// shorten chooses it by what the response time is spent on.
func (e Experiment) shorten(s *setup.Subject, v *model.Variant, r *rung.Rung, d diagnose.Diagnosis) (Experiment, bool) {
	if top := d.WaitedFor(0); top != nil {
		e.Top = *top
		return e.relieve(s, v, r)
	}
	e.Cause = d.Cause()
	switch {
	case e.Cause.Kind == diagnose.Driver:
		e.Kind = MoreDrivers
	case e.Cause.Component == describe.LockWait:
		e.Kind = VaryLock
		_, e.Tunable = s.ServerPath(v, "", "cpu")
	case e.Cause.Component == describe.Running:
		e.Kind = LessWork
	default:
		e.Kind = FindWait
	}
	return e, true
}

// relieve chooses it by the resource that is used up, or waited for.
func (e Experiment) relieve(s *setup.Subject, v *model.Variant, r *rung.Rung) (Experiment, bool) {
	switch e.Top.Remedy() {
	case resource.MoreUsers:
		return e.moreUsers(s, v, MoreThreads)
	case resource.LessCPU:
		return e.lessCPU(s, v, r)
	case resource.MoreStorageCPU:
		e.Kind, e.Forecast = MoreStorageCPU, predictMore(s, v, r, e.Top)
		return e.hinted(s, v).paced(r), true
	case resource.FasterMedium:
		e.Kind, e.Forecast = FasterMedium, predictMore(s, v, r, e.Top)
		return e.hinted(s, v).paced(r), true
	case resource.RaiseQuota:
		return e.moreQuota(s, v), true
	case resource.LiftStage:
		return e.liftStage(s, v), true
	case resource.MoreWorkers:
		return e.moreWorkers(s, v, r), true
	case resource.FewerOnDriver:
		e.Kind = FewerOnDriver
	case resource.MoreDrivers:
		e.Kind = MoreDrivers
	case resource.DriversApart:
		e.Kind = DriversApart
	case resource.MoreCoresAtOnce:
		e.Kind = SpreadThread
	case resource.MoreMemory:
		e.Kind = MoreMemory
	case resource.RaiseContainer: // no key of the study changes what Plimsoll was started in
		e.Kind = RaiseContainer
	default:
		e.Kind = RaiseCapacity
	}
	return e, true
}

// moreUsers doubles the users of each instance.
func (e Experiment) moreUsers(s *setup.Subject, v *model.Variant, kind Kind) (Experiment, bool) {
	users, _ := s.Users(v.Name)
	if users == 0 {
		return e, false
	}
	e.Kind, e.Path, e.From, e.To = kind, "load.users", strconv.Itoa(users), strconv.Itoa(2*users)
	return e, true
}

// lessCPU: on the given machine CPU can only be taken away. Halving each instance's CPU
// halves throughput if CPU bounds it, and hardly matters if it does not.
func (e Experiment) lessCPU(s *setup.Subject, v *model.Variant, r *rung.Rung) (Experiment, bool) {
	path, each, whom := mostCPU(s, v, r, e.Top)
	half := round2(each / 2)
	if path == "" || half < leastCPU {
		e.Kind, e.Forecast = MoreCores, predictMore(s, v, r, e.Top)
		return e, true
	}
	e.Kind, e.Path, e.From, e.To, e.Expect = HalveCPU, path, exact(each), exact(half), "worse"
	e.Whom, e.Throughput, e.Forecast = whom, r.Throughput.Times(0.5), predictMore(s, v, r, e.Top)
	return e, true
}

// Fragment writes the experiment as YAML to be laid over the study.
func (e Experiment) Fragment(v *model.Variant) string {
	var b strings.Builder
	b.WriteString("matrix:\n")
	if level := v.Factors["storage"]; level != "" && e.Path != "storage" {
		b.WriteString("  storage: [" + level + "]\n")
	}
	for path, level := range otherFactors(v, e.Path) {
		b.WriteString("  " + path + ": [" + level + "]\n")
	}
	b.WriteString("  " + e.Path + ": [" + e.From + ", " + e.To + "]\n")
	b.WriteString("ladder: [" + strings.Join(numbers(e.Rungs), ", ") + "]\n")
	b.WriteString("repetitions: 3\n")
	return b.String()
}

// otherFactors are the variant's levels besides storage and the changed path.
func otherFactors(v *model.Variant, path string) func(yield func(string, string) bool) {
	return func(yield func(string, string) bool) {
		for _, p := range stats.SortedKeys(v.Factors) {
			if p != "storage" && p != path && !yield(p, v.Factors[p]) {
				return
			}
		}
	}
}

func numbers(n []int) []string {
	out := make([]string, len(n))
	for i, v := range n {
		out[i] = strconv.Itoa(v)
	}
	return out
}

// mostCPU chooses the servers whose CPU to limit: the role that uses most of it, or the
// instances if they have one server. It returns the key that limits it, empty if there is
// none, and the cores that each used.
func mostCPU(s *setup.Subject, v *model.Variant, r *rung.Rung, top resource.Resource) (path string, each float64, whom string) {
	of := func(role resource.Resource) float64 {
		copies := max(1, s.Server(v, role.Role).Count) * s.Study.Ladder.Instances(r.Instances)
		return round2(role.Utilisation * role.Servers / float64(copies))
	}
	if roles := resource.Sharers(r.Resources); len(roles) > 0 {
		path, _ = s.ServerPath(v, roles[0].Role, "cpu")
		return path, of(roles[0]), roles[0].Role + " server"
	}
	path, _ = s.ServerPath(v, "", "cpu")
	if role := resource.First(r.Resources, resource.Role); role != nil {
		return path, of(*role), "instance"
	}
	if top.Machine != "" { // one of several machines, with an unknown share of the work
		return "", 0, ""
	}
	instances := float64(s.Study.Ladder.Instances(r.Worked()))
	each = top.Utilisation * top.Servers / instances
	for _, part := range r.Resources {
		if part.Kind.PartOfCPU() {
			each -= part.Utilisation * part.Servers / instances
		}
	}
	return path, round2(each), "instance"
}

// leastCPU is the smallest CPU limit of an instance worth an experiment, in
// cores: kernels hand CPU out in slices of 5 ms of a period of 100 ms.
const leastCPU = 0.05

// hinted turns the experiment into a change of the parameter that the storage class named
// for the resource, if it named one, and adds the class's alternatives.
func (e Experiment) hinted(s *setup.Subject, v *model.Variant) Experiment {
	name := v.Factors["storage"]
	more, beside := s.Hints(v, e.Top)
	if name == "" {
		return e
	}
	for _, h := range beside {
		e.Beside = append(e.Beside, Setting{storagePath(v, name, h.Parameter), h.From, h.To})
	}
	if len(more) == 0 {
		return e
	}
	from, to := more[0].From, more[0].To
	if to == "" {
		if e.Top.Servers <= 0 {
			return e
		}
		from, to = written(e.Top.Servers), written(e.Top.Servers*float64(e.Forecast.Factor))
	}
	e.Path, e.From, e.To, e.Doubles = storagePath(v, name, more[0].Parameter), from, to, more[0].Rate != ""
	return e
}

// liftStage gives the bottleneck stage less to do, by the workload's advice.
func (e Experiment) liftStage(s *setup.Subject, v *model.Variant) Experiment {
	e.Kind = LiftStage
	if e.Top.Step.Both { // relief of one gives the other all the work
		return e
	}
	for _, h := range v.Work.Hints {
		if h.Resource != string(resource.WayStage) || h.Role != e.Top.Step.Name {
			continue
		}
		from := h.From
		if from == "" { // a setting of servers, which only the study knows
			from = s.Level(v, h.Parameter)
		}
		if from != "" && from != h.To {
			e.Path, e.From, e.To = h.Parameter, from, h.To
			return e
		}
	}
	return e
}

// storagePath is the path of a parameter of a variant's storage.
func storagePath(v *model.Variant, name, parameter string) string {
	if ofAny := "storage.*." + parameter; v.Factors[ofAny] != "" { // of all storages alike
		return ofAny
	}
	return "storage." + name + "." + parameter
}

// moreQuota: the servers of a role use up their CPU limit.
func (e Experiment) moreQuota(s *setup.Subject, v *model.Variant) Experiment {
	e.Kind, e.From, e.To = RaiseQuota, written(e.Top.Servers), written(2*e.Top.Servers)
	e.Path, _ = s.ServerPath(v, e.Top.Role, "cpu")
	e.Server = s.Server(v, e.Top.Role)
	return e
}

// moreWorkers: everything that the servers of a role have for requests is
// occupied, and nothing that was measured is used up.
func (e Experiment) moreWorkers(s *setup.Subject, v *model.Variant, r *rung.Rung) Experiment {
	e.Server = s.Server(v, e.Top.Role)
	count := max(1, e.Server.Count)
	if e.Server.Gauge == nil || e.Server.Gauge.Setting == "" {
		e.Kind = MoreServers
		e.Path, _ = s.ServerPath(v, e.Top.Role, "count")
		e.From, e.To = strconv.Itoa(count), strconv.Itoa(2*count)
		return e
	}
	each := max(1, math.Round(e.Top.Servers/float64(s.Study.Ladder.Instances(r.Instances)*count)))
	e.Kind = MoreWorkers
	e.Path, _ = s.ServerPath(v, e.Top.Role, "settings."+e.Server.Gauge.Setting)
	e.From, e.To = exact(each), exact(2*each)
	return e
}

// Forecast is the network's prediction for more of a resource.
type Forecast struct {
	Factor int     // how many times as much
	Line   float64 // the load line then, 0 where none can be said
	Off    float64 // by how much the network is off here, where that is the reason
}

// predictMore finds how much of a resource it takes until another one bounds throughput, at
// most four times, and the load line that the network predicts then, where the network
// agrees with the measurements.
//
// The line is where the changed network answers as slowly as the present one does at its
// line, so that a model that is off by a constant cancels out.
func predictMore(s *setup.Subject, v *model.Variant, r *rung.Rung, top resource.Resource) Forecast {
	f := Forecast{Factor: roomBeforeNext(r.Resources, top)}
	n, ok := scale.NetworkAt(s.Scale(v), r)
	now := int(v.LoadLine.Count.Value)
	largest := now * f.Factor * 2
	if !ok || v.LoadLine.Open || now < 1 || max(largest, r.Instances)*n.Users > scale.MostUsers {
		return f
	}
	before, err := n.SolveUpTo(max(now, r.Instances))
	if err != nil {
		return f
	}
	if f.Off = networkOff(s, v, r, before[r.Instances-1]); f.Off != 0 {
		return f
	}
	f.Line = lineWith(n, r, top, f.Factor, largest, before[now-1].Response)
	return f
}

// networkOff is the error of the network where it is too large for any
// prediction: at the rung that its demands come from, in throughput or response
// time, or at those that it is held against; 0 where it agrees.
func networkOff(s *setup.Subject, v *model.Variant, r *rung.Rung, there queueing.Solution) float64 {
	errors := []float64{stats.Ratio(there.Throughput*s.Scale(v).ThroughputPerUnit(r), r.Throughput.Value) - 1, stats.Ratio(there.Response, r.Mean.Value) - 1}
	if v.Scalability != nil {
		for _, p := range v.Scalability.NetworkErrors {
			errors = append(errors, p.Error)
		}
	}
	worst := 0.0
	for _, e := range errors {
		if math.Abs(e) > max(scale.Tolerance, math.Abs(worst)) {
			worst = e
		}
	}
	return worst
}

// lineWith is the largest count, of so many, at which the network with more of a
// resource answers within the limit.
func lineWith(n scale.Network, r *rung.Rung, top resource.Resource, factor, largest int, limit float64) float64 {
	speed, servers := top.Gain(factor)
	changed := resource.ChangedWith(r.Resources, top)
	n.Stations = slices.Clone(n.Stations)
	for i := range n.Stations {
		if slices.Contains(changed, n.Stations[i].Name) {
			n.Stations[i].Demand /= speed
			n.Stations[i].Servers *= servers
		}
	}
	after, err := n.SolveUpTo(largest)
	if err != nil {
		return 0
	}
	for i := len(after); i >= 1; i-- {
		if after[i-1].Response <= limit {
			return float64(i)
		}
	}
	return 0
}

// roomBeforeNext is the smallest power of two, 2 or 4, after which another
// resource is the busiest.
func roomBeforeNext(resources []resource.Resource, top resource.Resource) int {
	second, with := 0.0, resource.ChangedWith(resources, top)
	for _, r := range resources {
		if !slices.Contains(with, r.Name) && !r.Kind.IsSpace() && !r.Kind.IsStage() && !r.Kind.IsOccupied() && !r.Kind.PartOfCPU() {
			second = max(second, r.Own())
		}
	}
	if top.Utilisation/2 <= second {
		return 2
	}
	return 4
}

// written is a limit that was measured as a study has it: 0.2, not 0.19999999999999998.
func written(v float64) string { return exact(math.Round(v*1e6) / 1e6) }

// exact is a number with all its digits, as a study has it.
func exact(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func round2(v float64) float64 { return math.Round(v*100) / 100 }
