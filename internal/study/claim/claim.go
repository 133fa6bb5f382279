// Package claim has the language of claims: published conclusions as predicates on the figures of a run. The
// grammar comes from github.com/expr-lang/expr; operators work on figures with intervals, so that a claim
// is reproduced, contradicted, not shown or not measured.
package claim

import (
	"errors"
	"fmt"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// Source has the figures of a run. At is a number of instances; 0 is where the variant does the most within its
// objectives.
type Source interface {
	Figure(metric, variant string, at int) Figure
}

// Metric is a function of the language: a figure of a variant.
type Metric struct {
	Name string
	Text string // its meaning, with the unit
	Rung bool   // it takes a number of instances after the variant, too
}

// Metrics are the functions that give figures.
func Metrics() []Metric {
	return []Metric{
		{"throughput", "throughput of all instances, in the study's unit", true},
		{"payload", "bytes that the work moved, MB/s", true},
		{"mean", "mean response time of a unit of work, s", true},
		{"p50", "median response time, s", true},
		{"p90", "90th percentile of the response time, s", true},
		{"p95", "95th percentile of the response time, s", true},
		{"p99", "99th percentile of the response time, s", true},
		{"errors", "share of the units of work that failed", true},
		{"carries", "instances that keep the objectives", false},
		{"busiest", "instances at the highest throughput, kept or not", false},
		{"price", "price of the variant, in the currency of the prices", false},
		{"usable", "space of the variant for data, according to the prices, TB", false},
		{"drives", "drives behind the storage", false},
		{"rated", "throughput that the drives' maker rates, MB/s", false},
		{"cores", "cores that all machines used where the variant does the most", false},
		{"overall_response", "overall response time of the ladder, s: the area below the response time over throughput, over the highest throughput", false},
	}
}

// longest is how many bytes a predicate may have.
const longest = 2000

// Check finds mistakes in a claim's predicate.
func Check(predicate string) error {
	_, err := Judge(predicate, unmeasured{})
	return err
}

// unmeasured is a run without figures.
type unmeasured struct{}

func (unmeasured) Figure(metric, variant string, at int) Figure {
	return Nothing(Missing{Why: NoVariant, Variant: variant, Metric: metric, At: at})
}

// Judge evaluates a claim's predicate on the figures of a run. The error is about the predicate.
func Judge(predicate string, s Source) (Result, error) {
	if len(predicate) > longest {
		return Result{}, fmt.Errorf("a claim has %d characters at most", longest)
	}
	tree, err := parser.Parse(predicate)
	if err != nil {
		return Result{}, problemOf(err, tree)
	}
	e := evaluator{source: s}
	outcome, err := e.outcome(tree.Node)
	if err != nil {
		return Result{}, problemOf(err, tree)
	}
	return Result{outcome, e.found}, nil
}

// problemOf is an error about a predicate in a line, with its place.
func problemOf(err error, tree *parser.Tree) error {
	var at *file.Error
	if !errors.As(err, &at) {
		return err
	}
	if at.Line == 0 && tree != nil {
		at = at.Bind(tree.Source)
	}
	return fmt.Errorf("%s, at character %d", at.Message, at.Column+1)
}
