package study

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"plimsoll/internal/study/claim"
	"plimsoll/internal/text/unit"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// checker finds impossible settings in a decoded study. Every check names the field it is
// about, and the problem is shown at that field's place in the file.
type checker struct {
	*decoder
	root  *node
	study *Study
	began int // problems before this study was decoded
	// soundSoFar reports that nothing was found before levels are tried; a fault
	// of the study itself is not to be shown at every level again.
	soundSoFar bool
}

// Bounds that only a slip of the finger passes.
const (
	mostInstances   = 100_000
	mostUsers       = 100_000
	mostRepetitions = 1_000
	mostVariants    = 500
	mostTrials      = 100_000
	leastMemory     = 1 << 20        // of an engine
	mostServers     = 100            // of a role of an instance
	longestPhase    = 48 * time.Hour // of warm-up and measurement each
	longestThink    = 24 * time.Hour // between two units of work of a user
	leastRamp       = 1e-3           // users a second
)

func (c *checker) check() {
	c.names()
	c.storages()
	c.members()
	c.ladderRungs()
	c.eachMember((*checker).application)
	c.counts()
	c.phases()
	c.loadEnd()
	c.factors()
	c.answer()
	c.claims()
	c.events()
	c.trials()
	c.prices()
}

// application checks one application: the study itself or one of its members.
func (c *checker) application() {
	c.require("workload", "name: one of "+strings.Join(sortedKeys(c.vocabulary.Workloads), ", "))
	c.stack()
	c.engineLimits(c.study.Engine, "engine")
	c.volumes()
	c.deployment(Variant{Application: c.study.Application, Deployment: c.study.Deployment}, deploymentFactor)
	c.users()
	c.loadShape(c.study.Load, c.study.Workload, "load")
	c.objectives()
}

// wrong notes a problem with a field. A field that is not in the file is
// shown at the nearest one around it. What was misread has its problem already.
func (c *checker) wrong(path, found, expected string) {
	if c.unread(path) {
		return
	}
	c.problem(c.root.at(path), path, found, expected)
}

// unread reports whether one of some fields could not be read: what the study has in its
// place says nothing.
func (c *checker) unread(paths ...string) bool {
	return slices.ContainsFunc(paths, func(path string) bool { return c.misread[c.root.at(path)] || c.misread[c.written(path)] })
}

// written returns the node at a path of keys, or nil if the file has no such field.
func (c *checker) written(path string) *node {
	n := c.root
	for _, key := range strings.Split(path, ".") {
		if n = n.get(key); n == nil {
			break
		}
	}
	return n
}

// outOfRange notes a count that is not from 1 to most.
func (c *checker) outOfRange(path, name string, got, most int) {
	c.wrong(path, message.NewPrinter(language.English).Sprintf("%s must be 1 to %d, got %d", name, most, got), "")
}

// given reports whether the field is in the file with a value.
func (c *checker) given(path string) bool {
	n := c.written(path)
	return n != nil && n.form != empty
}

// require notes a field that must be there and is not.
func (c *checker) require(path, expected string) bool {
	if c.given(path) {
		return true
	}
	c.wrong(path, path+" is missing", expected)
	return false
}

func (c *checker) names() {
	if c.require("study", "the study's name, such as my-databases") && !c.unread("study") && !isName(c.study.Name) {
		at := c.root.at("study")
		c.add(at.line, at.column, "study", fmt.Sprintf("%q is not a valid study name", c.study.Name), nameExpected, suggestName(c.study.Name))
	}
	if name, known := c.study.Reference, c.vocabulary.References; name != "" && known != nil && !contains(known, name) {
		c.near(c.root.at("reference"), "reference", fmt.Sprintf("there are no published results %q", name), name, known)
	}
}

// claims checks that each can be evaluated.
func (c *checker) claims() {
	for i, one := range c.study.Claims {
		path := fmt.Sprintf("claims.%d.claim", i)
		if err := claim.Check(one.Predicate); err != nil && !c.unread(path) {
			c.wrong(path, fmt.Sprintf("%q is not a claim: %v", one.Predicate, err), claimExpected)
		}
	}
}

const claimExpected = `figures in a comparison, such as throughput("ssd", 8) / throughput("hdd", 8) >= 5; see docs/claims.md`

// suggestName makes a possible name of an impossible one.
func suggestName(name string) string {
	if s := safe(name); isName(s) {
		return s
	}
	return ""
}

// engineName reports whether there is an engine of the name.
func (c *checker) engineName(name, path string) bool {
	if contains(c.vocabulary.Engines, name) {
		return true
	}
	if c.unread(path) {
		return false
	}
	c.near(c.root.at(path), path, fmt.Sprintf("unknown engine %q", name), name, c.vocabulary.Engines)
	return false
}

func (c *checker) engineLimits(e Engine, path string) {
	c.existing(e, path)
	if e.Count < 0 || e.Count > mostServers {
		c.outOfRange(path+".count", "count", e.Count, mostServers)
	}
	if e.CPU < 0 || !finite(float64(e.CPU)) {
		c.wrong(path+".cpu", fmt.Sprintf("cpu must be 0 (no limit) or more, got %v cores", e.CPU), "")
	}
	if e.Memory > 0 && e.Memory < leastMemory {
		c.wrong(path+".memory", fmt.Sprintf("%s is too little memory for a server", e.Memory), "a size such as 256MiB, or 0 for no limit")
	}
	if e.Version != "" && strings.Trim(e.Version, "0123456789.") != "" {
		c.wrong(path+".version", fmt.Sprintf("%q is not a version", e.Version), "a major version such as 15 or 10.11")
	}
	for _, key := range sortedKeys(e.Settings) {
		at := path + ".settings." + key
		if !isSetting(key) {
			c.wrong(at, fmt.Sprintf("%q is not a valid setting name", key), "letters, digits, underscores, hyphens and dots")
		}
		if strings.ContainsAny(e.Settings[key], "\n\r\x00") {
			c.wrong(at, "the value has more than one line", "a single line")
		}
	}
}

func isSetting(key string) bool {
	return key != "" && strings.Trim(strings.ToLower(key), "abcdefghijklmnopqrstuvwxyz0123456789_.-") == "" &&
		!strings.ContainsAny(key[:1], "0123456789.-")
}

func (c *checker) storages() {
	if !c.require("storage", "a name for each storage class, with class: below it") || c.root.get("storage").form != mapping {
		return
	}
	if len(c.study.StorageOrder) == 0 {
		c.wrong("storage", "no storage is defined", "at least one storage")
	}
	for _, f := range c.root.get("storage").fields {
		if !isStorageName(f.key) {
			c.problem(&node{line: f.line, column: f.column}, join("storage", f.key),
				fmt.Sprintf("%q is not a valid storage name", f.key), "lower-case letters, digits and hyphens, beginning with a letter or digit")
		}
		c.otherNames(f.key, c.study.Storage[f.key])
	}
}

// otherNames checks the names that fallbacks would go by.
func (c *checker) otherNames(name string, s Storage) {
	path := "storage." + name
	for o := s.Otherwise; o != nil; o = o.Otherwise {
		path += ".otherwise"
		if o.Rename == "" {
			continue
		}
		if !isStorageName(o.Rename) {
			c.wrong(path+".name", fmt.Sprintf("%q is not a valid storage name", o.Rename), "lower-case letters, digits and hyphens")
		}
		if _, taken := c.study.Storage[o.Rename]; taken && o.Rename != name {
			c.wrong(path+".name", fmt.Sprintf("%q is already the name of another storage", o.Rename), "a unique name")
		}
	}
}

// ladderOf checks what a rung counts.
func (c *checker) ladderOf() {
	l := c.study.Ladder
	if l.Of != "" && l.Of != OfUsers && l.Of != "instances" {
		c.near(c.root.at("ladder.of"), "ladder.of", fmt.Sprintf("a ladder cannot count %q", l.Of), l.Of, []string{"instances", OfUsers})
	}
	if l.Auto && c.given("ladder.rungs") {
		c.wrong("ladder.rungs", "both rungs and auto are given", "only one of them")
	}
	if l.Alone && len(c.study.Members) < 2 {
		c.wrong("ladder.alone", "there is nothing beside which a member could be measured", "members, at least two of them")
	}
}

// users checks the load where a rung is a user.
func (c *checker) users() {
	switch {
	case c.study.Ladder.Of != OfUsers || c.study.member != "": // members refuses such a ladder
	case !c.given("load.users"):
		c.study.Load.Users = 1
	case c.study.Load.Users != 1:
		c.wrong("load.users", fmt.Sprintf("the ladder counts users, so that a rung is one, not %d", c.study.Load.Users), "no load.users")
	}
}

func (c *checker) ladderRungs() {
	if !c.require("ladder", ladderExpected) {
		return
	}
	c.ladderOf()
	switch at := "ladder"; {
	case c.study.Ladder.Climbs():
		c.climb()
	case c.study.Ladder.Auto:
		c.searchBounds()
	default:
		if n := c.root.get("ladder"); n.form == mapping {
			at = "ladder.rungs"
		}
		c.increasing(at)
	}
}

// climb checks a ladder that is measured in order until a rung ends it. Its rungs say where
// it begins and ends, and how many trials there may be.
func (c *checker) climb() {
	for _, key := range []string{"from", "to", "precision", "budget"} {
		if c.given("ladder.auto." + key) {
			c.wrong("ladder.auto."+key, "both rungs and "+key+" are given", "only rungs, which are measured in order")
		}
	}
	c.increasing("ladder.auto.rungs")
	c.study.Ladder.Budget = len(c.study.Ladder.Rungs) * max(1, c.study.Repetitions)
	c.searchedFor()
}

// increasing checks the list of rungs at a path.
func (c *checker) increasing(at string) {
	rungs := c.study.Ladder.Rungs
	if n := c.root.at(at); len(rungs) == 0 && (n.form == sequence || at != "ladder") {
		c.wrong(at, "the ladder has no rungs", ladderExpected)
	}
	for i, rung := range rungs {
		path := at + "." + strconv.Itoa(i)
		switch {
		case rung < 1 || rung > mostInstances:
			c.outOfRange(path, "a rung", rung, mostInstances)
		case i > 0 && rung <= rungs[i-1]:
			c.wrong(path, fmt.Sprintf("rungs must increase, got %d after %d", rung, rungs[i-1]), "")
		}
	}
}

func (c *checker) searchBounds() {
	l := c.study.Ladder
	bound := func(key string, value int) {
		if value < 1 || value > mostInstances {
			c.outOfRange("ladder.auto."+key, key, value, mostInstances)
		}
	}
	bound("from", l.From)
	bound("to", l.To)
	if c.given("ladder.auto.precision") {
		bound("precision", l.Precision)
	}
	bound("budget", l.Budget)
	if l.From > l.To && !c.unread("ladder.auto.from", "ladder.auto.to") {
		c.wrong("ladder.auto.from", fmt.Sprintf("from (%d) must not be above to (%d)", l.From, l.To), "")
	}
	c.searchedFor()
}

// searchedFor checks that something ends a ladder that is not measured whole.
func (c *checker) searchedFor() {
	c.atMost("ladder.auto.within", c.study.Ladder.Within, longestPhase)
	if !c.given("objectives") && !c.study.HasObjectives() {
		c.wrong("ladder", "a search for the load line needs an objective", `objectives: such as ["p95 <= 200ms"]`)
	}
}

func (c *checker) counts() {
	if r := c.study.Repetitions; r < 1 || r > mostRepetitions {
		c.outOfRange("repetitions", "repetitions", r, mostRepetitions)
	}
	c.tolerance()
	c.accuracy()
	c.grade()
	if t := c.study.Telemetry.Interval; t.D() < 100*time.Millisecond {
		c.wrong("telemetry.interval", fmt.Sprintf("interval must be at least 100ms, got %s", t), "")
	} else if t > c.study.Phases.Measure && c.study.Phases.Measure > 0 && !c.unread("phases.measure") {
		c.wrong("telemetry.interval", fmt.Sprintf("%s is longer than the measured phase (%s), so no sample would be taken", t, c.study.Phases.Measure), "less than phases.measure")
	}
}

func (c *checker) grade() {
	if g := c.study.MinGrade; g != "" && !IsGrade(g) {
		c.wrong("min_grade", fmt.Sprintf("unknown grade %q", g), "A, B, C, D, E or F")
	}
}

// trials bounds how many there are; the plan lists each.
func (c *checker) trials() {
	s := c.study
	rungs := len(s.Ladder.Rungs)
	if s.Ladder.Auto {
		rungs = min(s.Ladder.Budget, mostTrials) // further ones are chosen while it runs
	}
	if s.Ladder.Alone {
		rungs += len(s.Alone())
	}
	variants := min(len(s.combinations()), mostVariants)
	if n := float64(rungs) * float64(variants) * float64(s.Repetitions); n > mostTrials {
		c.wrong("ladder", fmt.Sprintf("the study has %.0f trials", n), fmt.Sprintf("at most %d", mostTrials))
	}
}

// IsGrade reports whether a text is a grade that a result can have.
func IsGrade(text string) bool { return len(text) == 1 && strings.Contains("ABCDEF", text) }

func (c *checker) phases() {
	p := c.study.Phases
	if p.Measure.D() < time.Second {
		c.wrong("phases.measure", fmt.Sprintf("measure must be at least 1s, got %s", p.Measure), "")
	}
	c.atMost("phases.measure", p.Measure, longestPhase)
	if p.Expect > p.Measure {
		c.wrong("phases.expect", fmt.Sprintf("%s is expected of work that is cut off after %s", p.Expect, p.Measure), "at most phases.measure")
	}
	c.atMost("phases.warmup", p.Warmup, longestPhase)
	if p.RampRate > 0 && p.RampRate < leastRamp {
		c.wrong("phases.ramp_rate", fmt.Sprintf("ramp_rate must be 0 (start all users at once) or at least %v users a second, got %v", leastRamp, p.RampRate), "")
	}
	if p.RampRate < 0 || !finite(p.RampRate) {
		c.wrong("phases.ramp_rate", fmt.Sprintf("ramp_rate must be 0 (start all users at once) or more users a second, got %v", p.RampRate), "")
	}
}

func (c *checker) loadEnd() {
	if end := c.study.Phases.End; end != "" && end != CutPower {
		c.near(c.root.at("phases.end"), "phases.end", fmt.Sprintf("unknown end of the load %q", end), end, []string{CutPower})
	}
}

// atMost refuses a time that only a slip of the finger makes so long.
func (c *checker) atMost(path string, d unit.Duration, most time.Duration) {
	if d.D() > most {
		c.wrong(path, fmt.Sprintf("%s is too long", d), "at most "+unit.Duration(most).String())
	}
}

func (c *checker) loadShape(l Load, w Workload, path string) {
	if l.Users < 1 || l.Users > mostUsers {
		c.outOfRange(path+".users", "users", l.Users, mostUsers)
	}
	c.atMost(path+".think_time", l.ThinkTime, longestThink)
	if l.Rate < 0 || !finite(l.Rate) {
		c.wrong(path+".rate", fmt.Sprintf("rate must be 0 (closed loop) or more units of work a second, got %v", l.Rate), "")
	}
	if l.Rate > 0 && l.ThinkTime > 0 {
		c.wrong(path+".rate", "rate and think_time cannot be combined: with a rate, work starts on schedule", "only one of them")
	}
	if own := c.userRate(w); own > 0 && (l.Rate > 0 || l.ThinkTime > 0) {
		c.wrong(path+".rate", fmt.Sprintf("each user of workload %s begins %v units of work a second by itself", w.Name, own), "neither rate nor think_time")
	}
	if schedules := []string{string(Constant), string(Poisson)}; l.Arrivals != "" && !contains(schedules, string(l.Arrivals)) {
		c.near(c.root.at(path+".arrivals"), path+".arrivals", fmt.Sprintf("unknown arrivals %q", l.Arrivals), string(l.Arrivals), schedules)
	} else if l.Arrivals != "" && l.Rate == 0 && !c.unread(path+".rate") {
		c.wrong(path+".arrivals", "arrivals needs a rate: closed-loop users have no arrival schedule", "load.rate as well")
	}
	c.bursts(l.Bursts, path+".bursts")
	if l.InstancesPerDriver < 0 {
		c.wrong(path+".instances_per_driver", fmt.Sprintf("instances_per_driver must be 0 (one driver) or more, got %d", l.InstancesPerDriver), "")
	}
}

// bursts checks that there is some work and some rest in each period.
func (c *checker) bursts(b *Bursts, path string) {
	switch {
	case b == nil || c.unread(path+".every", path+".on", path+".offset", "phases.measure"):
	case b.Every <= 0 || b.On <= 0 || b.On >= b.Every:
		c.wrong(path, fmt.Sprintf("users are to work for %s of every %s", b.On, b.Every), "on above 0 and below every, such as {every: 5m, on: 3m}")
	case b.Offset < 0 || b.Offset >= b.Every:
		c.wrong(path+".offset", fmt.Sprintf("the first burst is to begin after %s, but there is one every %s", b.Offset, b.Every), "0 or more, and below every")
	case b.Every > c.study.Phases.Measure:
		c.wrong(path+".every", fmt.Sprintf("one period of %s does not fit into the measured phase of %s", b.Every, c.study.Phases.Measure), "a phases.measure of one or more whole periods")
	}
}

func (c *checker) objectives() {
	if of := c.study.ObjectivesOf; of != "" && of != OfEach && of != OfWhole {
		c.near(c.root.at("objectives_of"), "objectives_of", fmt.Sprintf("objectives_of is %q", of), of, []string{OfEach, OfWhole})
	}
	seen := map[string]bool{}
	known := c.operations()
	for i, o := range c.study.Objectives {
		path := "objectives." + strconv.Itoa(i)
		if o.Limit == 0 && o.Metric == "" {
			continue // not an objective; that is already noted
		}
		if len(known) > 0 && o.Operation == known[0] { // the unit of work, named
			o.Operation = ""
			c.study.Objectives[i] = o
		}
		if o.Metric == Idle {
			if o.Operation = c.metricOperation(path, o.Operation); o.Operation == "" {
				continue
			}
			c.study.Objectives[i] = o
		}
		if o.Metric == Undone && c.study.Load.Rate == 0 && !c.unread("load.rate") && !c.mayOffer(c.study.Workload) {
			c.wrong(path, "in a closed loop no rate is offered that could be kept", "load.rate as well")
		}
		if key := strings.TrimSpace(o.Operation + " " + o.Metric); seen[key] {
			c.wrong(path, fmt.Sprintf("%s has two limits", key), "one limit for each metric")
		} else {
			seen[key] = true
		}
		if known != nil && o.Operation != "" && !contains(known, o.Operation) {
			c.near(c.root.at(path), path, fmt.Sprintf("workload %s has no operation %q", c.study.Workload.Name, o.Operation), o.Operation, known)
		}
	}
}

// userRate is what each user of a workload offers by itself.
func (c *checker) userRate(w Workload) float64 {
	kind := c.vocabulary.Workloads[w.Name]
	if kind.UserRate == nil || w.Parameters == nil {
		return 0
	}
	return kind.UserRate(w.Parameters)
}

// mayOffer reports whether users of a workload have a rate of their own, or
// that nobody knows, because the parameters are wrong.
func (c *checker) mayOffer(w Workload) bool {
	kind := c.vocabulary.Workloads[w.Name]
	wrong := kind.UserRate != nil && kind.Validate != nil && w.Parameters != nil && len(kind.Validate(w.Parameters)) > 0
	return wrong || c.userRate(w) > 0
}

// metricOperation is the operation of one of the workload's own metrics; empty, and a problem, for
// another name. Where the workload is not known, the name stays.
func (c *checker) metricOperation(path, name string) string {
	kind, known := c.vocabulary.Workloads[c.study.Workload.Name]
	if !known || c.study.Workload.Parameters == nil {
		return name
	}
	var names []string
	if kind.Metrics != nil {
		for _, m := range kind.Metrics(c.study.Workload.Parameters) {
			if names = append(names, m.Name); m.Name == name {
				return m.Operation
			}
		}
	}
	found := fmt.Sprintf("workload %s has no metric %q", c.study.Workload.Name, name)
	if len(names) == 0 {
		c.wrong(path, found, objectiveExpected)
	} else {
		c.near(c.root.at(path), path, found, name, names)
	}
	return ""
}

// operations lists what the workload reports; nil when that is not known.
func (c *checker) operations() []string {
	kind, known := c.vocabulary.Workloads[c.study.Workload.Name]
	if !known || kind.Operations == nil || c.study.Workload.Parameters == nil {
		return nil
	}
	return kind.Operations(c.study.Workload.Parameters)
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
