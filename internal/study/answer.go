package study

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Answer says what answers the question of a study.
type Answer struct {
	// Kind is capacity (how many are carried), comparison (which level of a factor does
	// most), effect (what another level of it changes), fraction (of what the drives'
	// makers rate or of a baseline), scaling (how it grows with the ladder) or survival
	// (what was lost when something failed).
	Kind Kind `yaml:"kind,omitempty" json:"kind,omitempty" jsonschema:"enum=capacity,enum=comparison,enum=effect,enum=fraction,enum=scaling,enum=survival"`
	// Factor is the path of the matrix whose levels are held against each other.
	Factor string `yaml:"factor,omitempty" json:"factor,omitempty"`
	// Per is what throughput is divided by as well: drive, core, instance or price.
	Per string `yaml:"per,omitempty" json:"per,omitempty" jsonschema:"enum=drive,enum=core,enum=instance,enum=price"`
	// Metric is what a comparison or an effect is of: throughput (the default), a response
	// time such as p99 or "purchase p99", or cpu (CPU time of all machines per unit of work).
	Metric string `yaml:"metric,omitempty" json:"metric,omitempty"`
	// At is where a comparison is read: best (the highest throughput), objective (the
	// largest rung that keeps the objectives) or a rung. Without it, that is best for
	// throughput, and else the largest rung that all measured.
	At string `yaml:"at,omitempty" json:"at,omitempty" jsonschema:"oneof_type=string;integer"`
}

// Where a comparison is read, besides a rung.
const (
	AtBest      = "best"
	AtObjective = "objective"
)

// Metrics of answers, besides response times.
const (
	Throughput = "throughput"
	CPU        = "cpu"
)

// ByThroughput reports whether the figures are throughput, where more is better.
func (a Answer) ByThroughput() bool { return a.Metric == "" || a.Metric == Throughput }

// Figure is the metric in parts; of a response time the operation, empty for the unit of
// work.
func (a Answer) Figure() (operation, metric string) {
	words := strings.Fields(a.Metric)
	if len(words) == 2 {
		return words[0], words[1]
	}
	return "", a.Metric
}

// Rung returns the rung that At names, or 0 if it names none.
func (a Answer) Rung() int {
	n, err := strconv.Atoi(a.At)
	if err != nil {
		return 0
	}
	return n
}

// Kind is a kind of question.
type Kind string

// Kinds of questions.
const (
	Capacity   Kind = "capacity"
	Comparison Kind = "comparison"
	Effect     Kind = "effect"
	OfRating   Kind = "fraction"
	Scaling    Kind = "scaling"
	Survival   Kind = "survival"
)

func kinds() []string {
	return []string{string(Capacity), string(Comparison), string(Effect), string(OfRating), string(Scaling), string(Survival)}
}

// Units that Answer.Per may name.
const (
	PerDrive    = "drive"
	PerCore     = "core"
	PerInstance = "instance"
	PerPrice    = "price"
)

// Asks is what answers the question: as the study says or, where it does not, as follows
// from the rest of it. With faults it is survival; with an objective of a response time or
// a rate it is capacity, since then there is a line to find. Otherwise a factor of two
// levels besides storage is an effect, any other matrix a comparison, and a ladder alone
// is scaling.
func (s *Study) Asks() Answer {
	a := s.Answer
	if a.Kind == "" {
		a.Kind = s.kind()
	}
	if a.Factor == "" && (a.Kind == Comparison || a.Kind == Effect) {
		a.Factor = s.factor(a.Kind)
	}
	return a
}

func (s *Study) kind() Kind {
	limits := func(o Objective) bool { return o.Metric != "errors" && o.Metric != "rolledback" }
	switch {
	case len(s.Faults) > 0:
		return Survival
	case slices.ContainsFunc(s.Tile(), func(one *Study) bool { return slices.ContainsFunc(one.Objectives, limits) }):
		return Capacity
	case s.factor(Effect) != "":
		return Effect
	case s.factor(Comparison) != "":
		return Comparison
	case !s.Ladder.Auto && len(s.Ladder.Rungs) > 1:
		return Scaling
	}
	return Capacity
}

// factor is the axis of the matrix that a question of a kind is about: the storage of a
// comparison, else the first with several levels; of an effect the first besides storage
// that has two.
func (s *Study) factor(kind Kind) string {
	first := ""
	for _, f := range s.factorsWithStorage() {
		switch {
		case kind == Comparison && f.Path == "storage" && len(f.Levels) > 1:
			return f.Path
		case first != "":
		case kind == Effect && len(f.Levels) == 2 && f.Path != "storage", kind == Comparison && len(f.Levels) > 1:
			first = f.Path
		}
	}
	return first
}

// answer checks what the study says of its answer.
func (c *checker) answer() {
	a := c.study.Answer
	if a.Kind != "" && !slices.Contains(kinds(), string(a.Kind)) {
		c.near(c.root.at("answer.kind"), "answer.kind", fmt.Sprintf("answer.kind is %q", a.Kind), string(a.Kind), kinds())
	}
	if units := []string{PerDrive, PerCore, PerInstance, PerPrice}; a.Per != "" && !slices.Contains(units, a.Per) {
		c.near(c.root.at("answer.per"), "answer.per", fmt.Sprintf("answer.per is %q", a.Per), a.Per, units)
	}
	var axes []string // one level may be all that a profile leaves of a factor
	for _, f := range c.study.factorsWithStorage() {
		axes = append(axes, f.Path)
	}
	if a.Factor != "" && !slices.Contains(axes, a.Factor) {
		hint := "a path of the matrix: " + strings.Join(axes, ", ")
		if len(axes) == 0 {
			hint = "a matrix with this path as well"
		}
		c.wrong("answer.factor", fmt.Sprintf("the study has no factor %s", a.Factor), hint)
	}
	asks := c.study.Asks()
	c.answersPer(asks)
	c.answersMetric(asks)
	c.answersAt(asks)
	if a.Kind != "" && (asks.Kind == Comparison || asks.Kind == Effect) && asks.Factor == "" {
		c.wrong("answer.kind", fmt.Sprintf("an answer of the kind %s holds levels of a factor against each other, and the study has none of several", a.Kind), "a matrix as well")
	}
}

// answersPer checks what throughput is divided by.
func (c *checker) answersPer(a Answer) {
	switch {
	case a.Per == PerPrice && c.study.Prices == nil:
		c.wrong("answer.per", "an answer per price needs the prices of what is compared", "prices as well")
	case a.Per != "" && !a.ByThroughput():
		c.wrong("answer.per", fmt.Sprintf("throughput is divided by %s, and the answer is about %s", a.Per, a.Metric), "no answer.per, or no answer.metric")
	}
}

// answersMetric checks the metric against what the workload reports.
func (c *checker) answersMetric(a Answer) {
	if a.ByThroughput() {
		return
	}
	if a.Kind != Comparison && a.Kind != Effect {
		c.wrong("answer.metric", fmt.Sprintf("an answer of the kind %s has no metric of its own", a.Kind), "kind comparison or effect, or no answer.metric")
		return
	}
	known := append([]string{Throughput, CPU}, slices.DeleteFunc(slices.Clone(objectiveMetrics), func(m string) bool { return Objective{Metric: m}.IsShare() })...)
	operation, metric := a.Figure()
	if !contains(known, metric) || operation != "" && metric == CPU {
		c.near(c.root.at("answer.metric"), "answer.metric", fmt.Sprintf("answer.metric is %q", a.Metric), metric, known)
		return
	}
	if operation != "" {
		c.answersOperation(operation)
	}
}

// answersOperation checks that a workload of the study reports an operation.
func (c *checker) answersOperation(name string) {
	var workloads, known []string
	for _, one := range c.study.Tile() {
		operations := (&checker{decoder: c.decoder, study: one}).operations()
		if operations == nil {
			return // of a workload that is unknown, or whose parameters are wrong
		}
		workloads, known = append(workloads, one.Workload.Name), append(known, operations...)
	}
	if !contains(known, name) {
		c.near(c.root.at("answer.metric"), "answer.metric", fmt.Sprintf("workload %s has no operation %q", strings.Join(workloads, ", "), name), name, known)
	}
}

// answersAt checks where a comparison is read.
func (c *checker) answersAt(a Answer) {
	l := c.study.Ladder
	switch {
	case a.At == "":
	case a.Kind != Comparison:
		c.wrong("answer.at", fmt.Sprintf("an answer of the kind %s is not read at one rung", a.Kind), "kind comparison, or no answer.at")
	case a.At == AtObjective && !c.study.HasObjectives():
		c.wrong("answer.at", "the study has no objectives that a rung could keep", "objectives as well")
	case a.At == AtBest || a.At == AtObjective:
	case a.Rung() < 1:
		c.wrong("answer.at", fmt.Sprintf("answer.at is %q", a.At), AtBest+", "+AtObjective+" or a rung of the ladder")
	case !l.Auto && !slices.Contains(l.Rungs, a.Rung()):
		c.wrong("answer.at", fmt.Sprintf("the ladder has no rung %d", a.Rung()), "a rung of the ladder")
	}
}
