// Package provenance takes an analysis and gives the chain that leads from its verdict to the evidence:
// the verdict, the objectives and the trials that decide it, the bottleneck with its figures, the
// experiments about it, the audit, and the grade with what would raise it. It only selects: it
// judges nothing, and has no sentence of its own.
package provenance

import (
	"slices"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/timeprofile"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
)

// Chain leads from the verdict of a run to its evidence.
type Chain struct {
	Run      string    `json:"run"`                // the run directory's name
	Study    string    `json:"study"`              // its title, or else its name
	Noun     string    `json:"noun"`               // what a rung counts, singular: "instance"
	Question string    `json:"question,omitempty"` // that the study asks
	Answer   string    `json:"answer,omitempty"`   // to it; empty where no trial finished
	Verdicts []Verdict `json:"verdicts"`           // as the report has them
	Audit    Audit     `json:"audit"`              // of the trials that decide
	Grade    Grade     `json:"grade"`              // how far to trust the verdict
}

// Verdict is the verdict on one variant and its evidence.
type Verdict struct {
	Variant string `json:"variant"`         // its name
	Label   string `json:"label,omitempty"` // what reports call it
	Text    string `json:"text"`            // the verdict in words
	// Rungs decide it: the load line and the rung above, or where there is no line the best
	// rung. Smallest first.
	Rungs []Rung `json:"rungs"`
	// Bottleneck is what limits; missing where nothing is known of it.
	Bottleneck *Bottleneck `json:"bottleneck,omitempty"`
	// Time has what the response time is spent on at the rungs that the bottleneck is attributed by;
	// missing where that is not known.
	Time *timeprofile.Comparison `json:"time,omitempty"`
	// Experiments are findings about what was changed to prove the bottleneck.
	Experiments []model.Finding `json:"experiments,omitempty"`
}

// Rung is one that decides, with its trials.
type Rung struct {
	Instances  int                    `json:"instances"`        // how many ran at once
	Kept       bool                   `json:"kept"`             // every objective
	Breaks     string                 `json:"breaks,omitempty"` // what besides the objectives broke it
	Objectives []rung.ObjectiveResult `json:"objectives"`       // judged at it
	Trials     []Trial                `json:"trials"`           // those that count, and those that failed
}

// Trial is one trial of a rung that decides.
type Trial struct {
	ID         string  `json:"id"`              // <variant>/<rung>/<repetition>
	Status     string  `json:"status"`          // passed or failed
	Cause      string  `json:"cause,omitempty"` // why it failed
	Grade      string  `json:"grade,omitempty"` // A-F
	Throughput float64 `json:"throughput"`      // in Unit
	Unit       string  `json:"unit"`            // of Throughput
	Mean       float64 `json:"mean"`            // response time of a unit of work, s
	P95        float64 `json:"p95"`             // response time, s
	P99        float64 `json:"p99"`             // response time, s
	Audit      string  `json:"audit,omitempty"` // its outcome in words
}

// Bottleneck is what limits a variant.
type Bottleneck struct {
	model.Finding
	// Resource is the one that the cause names, as it was at the finding's rung; missing where
	// the cause names none.
	Resource *resource.Resource `json:"resource,omitempty"`
}

// Audit counts the trials that decide by the outcome of their audits.
type Audit struct {
	Trials  int   `json:"trials"`  // that passed, at rungs that decide
	Passed  int   `json:"passed"`  // of them, trials in which everything that was acknowledged was found
	Present int64 `json:"present"` // units of work that were acknowledged and found
	// Without names those that had no audit.
	Without []string `json:"without,omitempty"`
}

// Grade is how far the verdict can be trusted.
type Grade struct {
	Grade string `json:"grade,omitempty"` // A-F; empty where nothing was graded
	// Bound is how far the answer may be off, with the doubts behind it and what would shrink them.
	Bound *model.AnswerBound `json:"bound,omitempty"`
	// Warnings are the warnings of the run and of the deciding trials, without notes.
	Warnings []trust.Warning `json:"warnings,omitempty"`
}

// Judged reports whether an experiment has shown whether the bottleneck is one.
func (v Verdict) Judged() bool {
	return v.Bottleneck != nil && slices.ContainsFunc(v.Experiments, func(f model.Finding) bool { return f.ID == "confirm-"+v.Bottleneck.ID })
}

// experiments are the kinds of findings about what was changed to prove a bottleneck.
var experiments = []model.FindingKind{model.ConfirmationFinding, model.EffectFinding}

// Build gives the chain of an analysis.
func Build(a *model.Analysis) Chain {
	c := Chain{Run: a.Run.ID, Study: a.Study.Title, Noun: a.Study.Noun, Question: a.Study.Question, Answer: a.Headline, Verdicts: []Verdict{}}
	if c.Study == "" {
		c.Study = a.Study.Name
	}
	for i := range a.Variants {
		c.Verdicts = append(c.Verdicts, verdictOf(a, &a.Variants[i]))
	}
	c.Audit = auditOf(c.Verdicts, a.Trials)
	c.Grade = gradeOf(a, c.Verdicts)
	return c
}

func verdictOf(a *model.Analysis, v *model.Variant) Verdict {
	out := Verdict{Variant: v.Name, Label: v.Label, Rungs: []Rung{}}
	for _, s := range a.Verdict {
		if s.Variant == v.Name {
			out.Text = s.Text
		}
	}
	for _, n := range decisive(v) {
		if r := rung.Find(v.Rungs, n); r != nil {
			out.Rungs = append(out.Rungs, rungOf(a, v, r))
		}
	}
	for _, f := range a.Findings {
		switch {
		case f.Variant != v.Name:
		case f.Kind == model.BottleneckFinding:
			out.Bottleneck = bottleneckOf(f, v)
		case slices.Contains(experiments, f.Kind):
			out.Experiments = append(out.Experiments, f)
		}
	}
	out.Time = timeprofile.Compare(rung.Profiles(v.Rungs), v.Time)
	return out
}

// decisive are the rungs that a variant's verdict rests on.
func decisive(v *model.Variant) []int {
	line := v.LoadLine
	if line.Rung == 0 && line.Next == 0 && v.Best != nil {
		return []int{v.Best.Rung}
	}
	return []int{line.Rung, line.Next}
}

func rungOf(a *model.Analysis, v *model.Variant, r *rung.Rung) Rung {
	out := Rung{Instances: r.Instances, Kept: r.Kept, Breaks: r.Breaks, Objectives: r.Objectives, Trials: []Trial{}}
	if out.Objectives == nil {
		out.Objectives = []rung.ObjectiveResult{}
	}
	for _, t := range a.Trials {
		if t.Variant != v.Name || t.Rung != r.Instances || t.Alone || t.Status == model.LeftOut {
			continue
		}
		out.Trials = append(out.Trials, Trial{
			ID: t.ID, Status: t.Status, Cause: t.Cause, Grade: t.Grade, Throughput: t.Throughput, Unit: v.Work.Unit.Throughput,
			Mean: t.Mean, P95: t.P95, P99: t.P99, Audit: t.Audit,
		})
	}
	return out
}

func bottleneckOf(f model.Finding, v *model.Variant) *Bottleneck {
	b := &Bottleneck{Finding: f}
	r := rung.Find(v.Rungs, f.Rung)
	if f.Cause == nil || r == nil {
		return b
	}
	for i, of := range r.Resources {
		if of.Name == f.Cause.Resource && of.Kind == f.Cause.ResourceKind && of.Machine == f.Cause.Machine {
			b.Resource = &r.Resources[i]
			break
		}
	}
	return b
}

func auditOf(verdicts []Verdict, trials []model.TrialInfo) (out Audit) {
	for _, t := range trials {
		if t.Status != string(result.Passed) || !decides(verdicts, t.ID) {
			continue
		}
		out.Trials++
		switch {
		case t.Present != nil:
			out.Passed++
			out.Present += *t.Present
		case t.Audit == "":
			out.Without = append(out.Without, t.ID)
		}
	}
	return out
}

// decides reports whether a trial is one of those that verdicts rest on.
func decides(verdicts []Verdict, id string) bool {
	for _, v := range verdicts {
		for _, r := range v.Rungs {
			if slices.ContainsFunc(r.Trials, func(t Trial) bool { return t.ID == id }) {
				return true
			}
		}
	}
	return false
}

func gradeOf(a *model.Analysis, verdicts []Verdict) Grade {
	out := Grade{Grade: a.Grade, Bound: a.Bound}
	for _, w := range a.Warnings {
		if w.Severity != trust.Note && (w.Trial == "" || decides(verdicts, w.Trial)) {
			out.Warnings = append(out.Warnings, w)
		}
	}
	return out
}
