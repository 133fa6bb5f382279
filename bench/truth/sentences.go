package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/study"
)

// claim is a sentence that a made-up truth contradicts.
type claim struct {
	sentence string // as docs/contributing/sentences.md has it, shortened
	truth    string // in words, of the data that it must not be printed of
	made     analysistest.Set
	asks     study.Answer
	printed  func(*analysis.Analysis) bool
}

// sentences counts how often each sentence is printed although the truth contradicts it.
func sentences() table {
	return table{"Sentences that the truth contradicts, with the worst noise of 2 and 10 %", func(c *counter) [][]string {
		times := []int{2, 3, 5}
		rows := [][]string{{"sentence", "truth", "2 repetitions", "3", "5"}}
		for _, one := range slices.Concat(replyClaims(), lineClaims(), comparedClaims()) {
			row := []string{one.sentence, one.truth}
			for _, n := range times {
				row = append(row, percent(one.worst(c, n)))
			}
			rows = append(rows, row)
		}
		return rows
	}}
}

// worst is the largest share of sets of so many repetitions in which the claim is printed.
func (o claim) worst(c *counter, repetitions int) (most float64) {
	for _, noise := range []float64{0.02, 0.1} {
		made := o.made
		made.Repetitions, made.Noise = repetitions, analysistest.Noise{Throughput: noise, Response: noise}
		what := fmt.Sprintf("“%s” where %s, %d repetitions, noise %v", o.sentence, o.truth, repetitions, noise)
		most = max(most, c.atMost(mostWrong, what, func(seed uint64) bool {
			a := analysed(made.Run(seed), o.asks, seed)
			return a != nil && o.printed(a)
		}))
	}
	return most
}

// headline is a claim of the first sentence, which matches the pattern.
func headline(pattern string) func(*analysis.Analysis) bool {
	says := regexp.MustCompile(pattern)
	return func(a *analysis.Analysis) bool { return says.MatchString(a.Headline) }
}

// answered is a claim of the answers to the leading questions.
func answered(pattern string) func(*analysis.Analysis) bool {
	says := regexp.MustCompile(pattern)
	return func(a *analysis.Analysis) bool {
		return slices.ContainsFunc(a.Answers, func(x analysis.Answer) bool { return says.MatchString(x.Text) })
	}
}

// told matches a claim in the sentences about the variants.
func told(pattern string) func(*analysis.Analysis) bool {
	says := regexp.MustCompile(pattern)
	return func(a *analysis.Analysis) bool {
		return slices.ContainsFunc(a.Verdict, func(x analysis.Sentence) bool { return says.MatchString(x.Text) })
	}
}

// found is a claim of the findings of a kind.
func found(kind model.FindingKind, pattern string) func(*analysis.Analysis) bool {
	says := regexp.MustCompile(pattern)
	return func(a *analysis.Analysis) bool {
		return slices.ContainsFunc(a.Findings, func(f analysis.Finding) bool { return f.Kind == kind && says.MatchString(f.Text) })
	}
}

// levels is a set of variants, one of each level of the factor, which do so many times the
// throughput of the first.
func levels(factor string, times ...float64) analysistest.Set {
	made := analysistest.Set{Rungs: []int{2, 6, 12}}
	for i, by := range times {
		factors := map[string]string{"storage": "ssd"}
		level := fmt.Sprint(i + 1)
		maps.Copy(factors, map[string]string{factor: level})
		made.Variants = append(made.Variants, analysistest.Variant{
			Name: "v" + level, Factors: factors, Response: analysistest.MM1(0.05, 40), Throughput: analysistest.Power(1200, 0.9).Times(by, 0),
		})
	}
	return made
}

// course is a set of one variant over five rungs.
func course(throughput, response analysistest.Curve) analysistest.Set {
	return analysistest.Set{Rungs: analysistest.FiveRungs, Variants: []analysistest.Variant{{Name: "a", Response: response, Throughput: throughput}}}
}

// replyClaims are the claims of the headline by the kind of the question, except capacity.
func replyClaims() []claim {
	comparison := study.Answer{Kind: study.Comparison, Factor: "storage"}
	effect := study.Answer{Kind: study.Effect, Factor: "engine.cpu"}
	scaling := study.Answer{Kind: study.Scaling}
	lowest, slower := comparison, effect
	lowest.Metric, slower.Metric = "mean", "mean"
	flat, rising := analysistest.Constant(5000), analysistest.Power(1000, 0.9)
	slowly := course(analysistest.Power(1000, 0.4), analysistest.Constant(0.1))
	slowly.Rungs = []int{1, 2}
	return []claim{
		{"“…” does most", "all three levels do the same", levels("storage", 1, 1, 1), comparison, headline("does most: ")},
		{"“1” does most", "“2” does 3 % more", levels("storage", 1, 1.03), comparison, headline("“1” does most: ")},
		{"“…” has the lowest mean", "all three levels take the same time", levels("storage", 1, 1, 1), lowest, headline("has the lowest mean: ")},
		{"… % mean, … times the mean", "the level changes nothing", levels("engine.cpu", 1, 1), slower, headline(`: [+−]|\d %? mean|times the mean`)},
		{"… % OPM, … times the OPM", "the level changes nothing", levels("engine.cpu", 1, 1), effect, headline(`: [+−]|\d %? OPM|times the OPM`)},
		{"about the same OPM", "15 % more", levels("engine.cpu", 1, 1.15), effect, headline("about the same OPM")},
		{"+… % OPM (… to … %)", "20 % more, which the interval of a rung leaves out by more than 1 %", levels("engine.cpu", 1, 1.2), effect, leavesOut(1.2)},
		{"p99 rises, p99 falls", "p99 is the same", levels("engine.cpu", 1, 1.2), effect, headline("p99 (rises|falls)")},
		{"`a` grows …-fold", "throughput is the same at every rung", course(flat, analysistest.Constant(0.1)), scaling, headline("grows .*-fold")},
		{"`a` does not grow", "throughput grows in proportion to n^0.9", course(rising, analysistest.Constant(0.1)), scaling, headline("does not grow")},
		{"`a` does not grow", "a third more at twice the load", slowly, scaling, headline("does not grow")},
	}
}

// leavesOut matches an analysis in which a rung's interval excludes the true ratio.
func leavesOut(truth float64) func(*analysis.Analysis) bool {
	return func(a *analysis.Analysis) bool {
		for _, g := range a.Reply.Groups {
			for _, s := range g.Steps {
				if i := s.Throughput; s.Shown && i.Bounded() && (i.Low > 1.01*truth || i.High < truth/1.01) {
					return true
				}
			}
		}
		return false
	}
}

// limit is the objective that load lines are drawn for, in seconds.
const limit = 0.1

// lines is a set whose variants have response times of these curves.
func lines(curves ...analysistest.Curve) analysistest.Set {
	made := analysistest.Set{Rungs: []int{1, 2, 4, 8, 16, 32}, Objectives: analysistest.MeanBelow(limit)}
	for i, curve := range curves {
		made.Variants = append(made.Variants, analysistest.Variant{Name: fmt.Sprintf("v%d", i+1), Response: curve})
	}
	return made
}

// lineClaims are the claims about load lines and about the peak of throughput.
func lineClaims() []claim {
	capacity := study.Answer{Kind: study.Capacity}
	between, near := analysistest.MM1(0.05, 24), analysistest.Power(0.0995/8, 1)
	flat := course(analysistest.Constant(5000), analysistest.Constant(0.05))
	flat.Objectives = analysistest.MeanBelow(limit)
	return []claim{
		{"`a` carries … to …, without a doubt", "it carries 12", lines(between), capacity, offLine(between.Line(limit, 100))},
		{"`a` carries … to …, without a doubt", "it carries 8, by half a per cent", lines(near), capacity, offLine(near.Line(limit, 100))},
		{"`…` carries the most of … variants", "all four carry 8, by half a per cent", lines(near, near, near, near), capacity, headline("carries the most of")},
		{"`…` carries the most of … variants", "all four carry 12", lines(between, between, between, between), capacity, headline("carries the most of")},
		{"is past its measured peak", "throughput is the same at every rung", flat, capacity, answered("past its measured peak")},
		{"throughput is highest at …, and falls to …", "throughput is the same at every rung", flat, capacity, told("throughput is highest at")},
		{"Response time spikes", "it grows in proportion to the load", lines(analysistest.Power(0.01, 1)), capacity, found("spike", "spikes")},
	}
}

// offLine says that a sentence gives a bracket that the true line is not in, and names
// neither side as uncertain.
func offLine(truth int) func(*analysis.Analysis) bool {
	return func(a *analysis.Analysis) bool {
		for _, v := range a.Variants {
			l := v.LoadLine
			if truth < l.Rung && l.SureBelow() || l.Next > 0 && truth >= l.Next && l.SureAbove() {
				return true
			}
		}
		return false
	}
}

// comparedClaims are the claims about variants compared with each other.
func comparedClaims() []claim {
	var none study.Answer
	deployed := levels("engine.cpu", 1, 1)
	for i, level := range []string{"", "container"} {
		deployed.Variants[i].Factors = map[string]string{"storage": "ssd", "deployment": level}
	}
	deployed.Variants[0].Factors["deployment"] = "bare"
	return []claim{
		{"more than the next best, but less than the next best", "both do the same", levels("storage", 1, 1), none, answered("; more than the next best|; but less")},
		{"Which storage: … % throughput", "both do the same", levels("storage", 1, 1), none, answered("^`[12]` does [+−-].*; which carries more is undecided")},
		{"It makes little difference", "15 % more", levels("storage", 1, 1.15), none, answered("It makes little difference")},
		{"… was the limit before", "more of it changes nothing", levels("engine.cpu", 1, 1), none, found("effect", "was the limit before")},
		{"… is not the limit", "15 % more", levels("engine.cpu", 1, 1.15), none, found("effect", "is not the limit")},
		{"… has … × the throughput", "a container does the same", deployed, none, found("deployment", `common rungs:`)},
	}
}
