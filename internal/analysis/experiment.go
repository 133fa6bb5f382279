package analysis

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/analysis/answer"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/queueing"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/scale"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/words"
)

// setNextExperiment adds to a bottleneck finding the experiment that would
// prove it: in words, as a piece of study YAML and as one changed setting, with
// what the closed network predicts of it.
func (s *subject) setNextExperiment(f *Finding, v *Variant, r *rung.Rung) {
	d := diagnose.Of(v.Rungs, v.LoadLine, r)
	e, ok := s.experimentFor(d, v, r)
	if !ok {
		return
	}
	f.Next = e.words
	if e.path != "" {
		f.Fragment = e.fragment(v)
		f.Change = &Change{Path: e.path, From: e.from, To: e.to, Rungs: e.rungs, Expect: e.expect}
	}
	if e.line > 0 {
		f.Numbers["predicted_load_line"] = e.line
	}
	if e.throughput > 0 {
		f.Numbers["predicted_throughput"] = e.throughput
	}
}

// experiment is a change of one setting.
type experiment struct {
	words      string
	path       string // dotted, as in a study's matrix
	from, to   string
	rungs      []int
	expect     string  // better, worse or same throughput, if the finding is right
	line       float64 // predicted load line
	throughput float64 // predicted, at the rung
}

// fragment writes the experiment as YAML to be laid over the study.
func (e experiment) fragment(v *Variant) string {
	var b strings.Builder
	b.WriteString("matrix:\n")
	if level := v.Factors["storage"]; level != "" && e.path != "storage" {
		fmt.Fprintf(&b, "  storage: [%s]\n", level)
	}
	for path, level := range otherFactors(v, e.path) {
		fmt.Fprintf(&b, "  %s: [%s]\n", path, level)
	}
	fmt.Fprintf(&b, "  %s: [%s, %s]\n", e.path, e.from, e.to)
	fmt.Fprintf(&b, "ladder: [%s]\n", strings.Join(numbers(e.rungs), ", "))
	b.WriteString("repetitions: 3\n")
	return b.String()
}

// otherFactors are the variant's levels besides storage and the changed path.
func otherFactors(v *Variant, path string) func(yield func(string, string) bool) {
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

// experimentFor chooses the experiment by what limits.
func (s *subject) experimentFor(d diagnose.Diagnosis, v *Variant, r *rung.Rung) (experiment, bool) {
	e := experiment{rungs: []int{r.Instances}, expect: "better"}
	switch d.Kind {
	case diagnose.Users:
		return s.moreUsers(e, v, "Double the users of each instance, or go further up the ladder, to find the bottleneck.")
	case diagnose.Waiting:
		e.expect = "same"
		text := "Double the users of each instance: if throughput does not change and nothing saturates, a lock or another software limit is the bottleneck"
		if _, ok := s.ServerPath(v, "", "cpu"); ok {
			text += "; then vary the settings of its servers"
		}
		return s.moreUsers(e, v, text+".")
	case diagnose.FromStart:
		e.words = "Start the ladder lower, or with fewer users, to see how long " + words.A(v.Work.Unit.Name) + " takes without queueing."
		return e, true
	case diagnose.Failing:
		e.words = "First find out why " + v.Work.Unit.Plural + " fail: `plimsoll show` of one of its trials lists the errors, and the servers' logs are stored with it. Until that is fixed, neither more load nor faster storage will help."
		return e, true
	case diagnose.Unknown:
		e.words = "Measure this rung again with telemetry, including the storage's devices."
		return e, true
	case diagnose.Uncertain:
		e.words = answer.MeasureWidth
		return e, true
	case diagnose.Neighbour:
		e.words = "Stop everything else on this machine and measure again."
		return e, true
	}
	return s.relieve(e, v, r, *d.Top)
}

// relieve chooses it by the resource that is used up.
func (s *subject) relieve(e experiment, v *Variant, r *rung.Rung, top resource.Resource) (experiment, bool) {
	switch top.Remedy() {
	case resource.MoreUsers:
		return s.moreUsers(e, v, "Have twice as many users: each of these had a core to itself and used it up.")
	case resource.LessCPU:
		return s.lessCPU(e, v, r, top)
	case resource.MoreStorageCPU:
		return s.moreNodeCPU(e, v, r, top)
	case resource.FasterMedium:
		return s.fasterMedium(e, v, r, top)
	case resource.RaiseQuota:
		return s.moreQuota(e, v, top)
	case resource.MoreWorkers:
		return s.moreWorkers(e, v, r, top)
	case resource.FewerOnDriver:
		e.words = "Have fewer instances on each driver (load.instances_per_driver): these figures measure the load generator."
	case resource.MoreDrivers:
		e.words = "Give the drivers more machines, or more cores: these figures measure the load generator."
	case resource.DriversApart:
		e.words = "Move the drivers to another machine, or give each fewer instances: these figures measure the load generator."
	case resource.RaiseContainer: // no key of the study changes what Plimsoll was started in
		e.words = fmt.Sprintf("Run without this quota, or with %s cores (docker run --cpus, resources.limits.cpu of a pod, CPUQuota= of a service), and measure this rung again.", words.Exact(2*top.Servers))
	default:
		e.words = fmt.Sprintf("Raise the capacity of %s and measure this rung again.", top.Plain())
	}
	return e, true
}

func (s *subject) moreUsers(e experiment, v *Variant, text string) (experiment, bool) {
	users, _ := s.Users(v.Name)
	if users == 0 {
		return e, false
	}
	e.path, e.from, e.to, e.words = "load.users", strconv.Itoa(users), strconv.Itoa(2*users), text
	return e, true
}

// lessCPU: on the machine at hand CPU can only be taken away. Halving what
// each instance gets halves throughput if CPU bounds it, and hardly matters if
// it does not.
func (s *subject) lessCPU(e experiment, v *Variant, r *rung.Rung, top resource.Resource) (experiment, bool) {
	path, each, whom := s.mostCPU(v, r, top)
	if path == "" {
		p := s.predictMore(v, r, top)
		e.line, e.words = p.line, fmt.Sprintf("Give %s %d times the cores%s.", answer.MachineText(top), p.factor, p.text(v))
		return e, true
	}
	half := round2(each / 2)
	if half < leastCPU {
		return s.moreUsers(e, v, "Double the users of each instance: if the machine's CPU limits throughput, throughput does not change. (An instance uses too little CPU to limit it to half of that.)")
	}
	e.path, e.from, e.to, e.expect = path, words.Exact(each), words.Exact(half), "worse"
	e.throughput = r.Throughput.Value / 2
	e.words = fmt.Sprintf("To prove it here, limit each %s to %s of the %s cores that it used: throughput should fall to about half, %s %s.", whom, words.Exact(half), words.Exact(each), words.Figures(e.throughput), v.Work.Unit.Throughput)
	p := s.predictMore(v, r, top)
	e.line = p.line
	if p.line > 0 {
		e.words += fmt.Sprintf(" To remove it, give %s %d times the cores%s.", answer.MachineText(top), p.factor, p.text(v))
	}
	return e, true
}

// mostCPU is whose CPU to limit: the servers of the role that takes most of it, or
// the instances where they have one server; with what each used, in cores, and the
// key that limits it. The key is empty where there is none.
func (s *subject) mostCPU(v *Variant, r *rung.Rung, top resource.Resource) (path string, each float64, whom string) {
	if roles := resource.Sharers(r.Resources); len(roles) > 0 {
		role := roles[0]
		copies := max(1, s.Server(v, role.Role).Count) * r.Instances
		path, _ = s.ServerPath(v, role.Role, "cpu")
		return path, round2(role.Utilisation * role.Servers / float64(copies)), role.Role + " server"
	}
	if top.Machine != "" { // one of several, so each instance's share is that of its role
		role := resource.First(r.Resources, resource.Role)
		if role == nil {
			return "", 0, ""
		}
		path, _ = s.ServerPath(v, "", "cpu")
		return path, round2(role.Utilisation * role.Servers / float64(r.Instances)), "instance"
	}
	each = top.Utilisation * top.Servers / float64(r.Instances)
	for _, part := range r.Resources {
		if part.Kind.PartOfCPU() && part.Kind != resource.Role {
			each -= part.Utilisation * part.Servers / float64(r.Instances)
		}
	}
	path, _ = s.ServerPath(v, "", "cpu")
	return path, round2(each), "instance"
}

// leastCPU is the smallest CPU limit of an instance worth an experiment, in
// cores: kernels hand CPU out in slices of 5 ms of a period of 100 ms.
const leastCPU = 0.05

// moreNodeCPU: the servers of the storage are the bottleneck.
func (s *subject) moreNodeCPU(e experiment, v *Variant, r *rung.Rung, top resource.Resource) (experiment, bool) {
	p := s.predictMore(v, r, top)
	e.line = p.line
	e.words = fmt.Sprintf("Give the storage nodes %d times the CPU%s.", p.factor, p.text(v))
	return s.hinted(e, v, top, p.factor), true
}

func (s *subject) fasterMedium(e experiment, v *Variant, r *rung.Rung, top resource.Resource) (experiment, bool) {
	p := s.predictMore(v, r, top)
	e.line = p.line
	e.words = fmt.Sprintf("Put the volumes on a medium that serves this load %d times as fast, or on that many times the drives%s.", p.factor, p.text(v))
	return s.hinted(e, v, top, p.factor), true
}

// hinted makes the experiment a change of the parameter that the storage class
// named for resources of this kind, where it named one.
func (s *subject) hinted(e experiment, v *Variant, top resource.Resource, factor int) experiment {
	name := v.Factors["storage"]
	hint, ok := s.Hint(v, top.Kind)
	if !ok || name == "" {
		return e
	}
	from, to := hint.From, hint.To
	if to == "" {
		if top.Servers <= 0 {
			return e
		}
		from, to = words.Exact(top.Servers), words.Exact(top.Servers*float64(factor))
	}
	e.path, e.from, e.to = "storage."+name+"."+hint.Parameter, from, to
	if ofAny := "storage.*." + hint.Parameter; v.Factors[ofAny] != "" { // of all storages alike
		e.path = ofAny
	}
	return e
}

// moreQuota: the servers of a role use up their CPU limit.
func (s *subject) moreQuota(e experiment, v *Variant, top resource.Resource) (experiment, bool) {
	e.from, e.to = words.Exact(top.Servers), words.Exact(2*top.Servers)
	e.path, _ = s.ServerPath(v, top.Role, "cpu")
	e.words = fmt.Sprintf("Raise the %s from %s to %s cores", top.Plain(), e.from, e.to)
	if server := s.Server(v, top.Role); server.Stateless {
		e.words += fmt.Sprintf(", or run %d of them in each instance (stack.%s.count)", 2*max(1, server.Count), top.Role)
	}
	e.words += "."
	return e, true
}

// moreWorkers: everything that the servers of a role have for requests is
// occupied, and nothing that was measured is used up.
func (s *subject) moreWorkers(e experiment, v *Variant, r *rung.Rung, top resource.Resource) (experiment, bool) {
	server := s.Server(v, top.Role)
	count := max(1, server.Count)
	if server.Gauge == nil || server.Gauge.Setting == "" {
		e.path, _ = s.ServerPath(v, top.Role, "count")
		e.from, e.to = strconv.Itoa(count), strconv.Itoa(2*count)
		e.words = fmt.Sprintf("Run %s %s servers in each instance instead of %s.", e.to, top.Role, e.from)
		return e, true
	}
	each := max(1, math.Round(top.Servers/float64(r.Instances*count)))
	e.path, _ = s.ServerPath(v, top.Role, "settings."+server.Gauge.Setting)
	e.from, e.to = words.Exact(each), words.Exact(2*each)
	e.words = fmt.Sprintf("Give each %s server %s %s instead of %s (%s).", top.Role, e.to, server.Gauge.Name, e.from, e.path)
	return e, true
}

// forecast is what the network says of more of a resource.
type forecast struct {
	factor int     // how many times as much
	line   float64 // the load line then, 0 where none can be said
	off    float64 // by how much the network is off here, where that is the reason
}

// text is the clause with the predicted load line, empty without one.
func (f forecast) text(v *Variant) string {
	switch {
	case f.off != 0:
		return fmt.Sprintf("; no load line is predicted, because the queueing model built from the measured demands is off by %.0f %% here", 100*math.Abs(f.off))
	case f.line <= 0:
		return ""
	case f.line <= v.LoadLine.Count.Value:
		return ": this alone is predicted not to raise the load line"
	}
	return ": predicted load line " + words.Thousands(f.line)
}

// predictMore finds how much of a resource it takes until another one bounds
// throughput, at most four times, and the load line that the network predicts
// then, where the network agrees with what was measured.
//
// The line is where the changed network answers as slowly as the present one
// does at its line, so that a model that is off by a constant cancels out.
func (s *subject) predictMore(v *Variant, r *rung.Rung, top resource.Resource) forecast {
	f := forecast{factor: roomBeforeNext(r.Resources, top)}
	n, ok := scale.NetworkAt(s.Scale(v), r)
	now := int(v.LoadLine.Count.Value)
	largest := now * f.factor * 2
	if !ok || v.LoadLine.Open || now < 1 || max(largest, r.Instances)*n.Users > scale.MostUsers {
		return f
	}
	before, err := n.SolveUpTo(max(now, r.Instances))
	if err != nil {
		return f
	}
	if f.off = s.networkOff(v, r, before[r.Instances-1]); f.off != 0 {
		return f
	}
	f.line = lineWith(n, r, top, f.factor, largest, before[now-1].Response)
	return f
}

// networkOff is the error of the network where it is too large for any
// prediction: at the rung that its demands come from, in throughput or response
// time, or at those that it is held against; 0 where it agrees.
func (s *subject) networkOff(v *Variant, r *rung.Rung, there queueing.Solution) float64 {
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
		if !slices.Contains(with, r.Name) && !r.Kind.IsSpace() && !r.Kind.IsOccupied() && !r.Kind.PartOfCPU() {
			second = max(second, r.Own())
		}
	}
	if top.Utilisation/2 <= second {
		return 2
	}
	return 4
}

func round2(v float64) float64 { return math.Round(v*100) / 100 }
