package resource

import (
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Step is what a stage of a pipeline did, apart from its utilisation.
type Step struct {
	Side  string `json:"side"`  // whose stage it is: source, destination
	Name  string `json:"name"`  // read, compress, send
	Place int    `json:"place"` // on the way, from 0
	Bytes int64  `json:"bytes"` // that it took in, of all trials
	// Busy, Starved and Blocked are the shares of the time of the whole way in which it was at
	// work, waited for the stage before it, and for the one after it.
	Busy    float64 `json:"busy"`
	Starved float64 `json:"starved"`
	Blocked float64 `json:"blocked"`
	// Seconds is the time at work, of all trials.
	Seconds float64 `json:"seconds"`
	// Named reports that the stage limits the others, and Full and Empty then for which share of
	// the time the queue before it was full and the one after it empty.
	Named bool    `json:"named,omitempty"`
	Both  bool    `json:"both,omitempty"` // named with another that is at work all the time, too
	Full  float64 `json:"full,omitempty"`
	Empty float64 `json:"empty,omitempty"`
	// First and Last say that it begins or ends the way, where there is no such queue.
	First bool `json:"first,omitempty"`
	Last  bool `json:"last,omitempty"`
}

// stepsOf are the stages in which the work of trials moved data, over all of them.
func stepsOf(passed []*result.Trial) (all []Resource) {
	var sum describe.Effort
	for _, t := range passed {
		if o := t.Whole(); o.Effort != nil {
			sum = sum.Plus(*o.Effort)
		}
	}
	f := LimitingStage(sum.Stages)
	for n, s := range f.Shares {
		step := &Step{
			Side: s.Side, Name: s.Name, Place: n, Bytes: s.Bytes, Busy: s.Utilisation, Starved: s.Starved, Blocked: s.Blocked, Seconds: s.Stage.Busy,
			First: n == 0, Last: n == len(f.Shares)-1,
		}
		step.Both = f.Why == BothStages && (n == f.Busiest || n == f.Second)
		if step.Named = step.Both || f.Why == StageNamed && n == f.Busiest; step.Named && !step.Both {
			step.Full, step.Empty = f.Full, f.Empty
		}
		r := Resource{Kind: WayStage, Role: s.Side, Utilisation: s.Utilisation, Servers: 1, Step: step}
		if sum.Count > 0 {
			r.Demand = s.Stage.Busy / float64(sum.Count)
		}
		all = append(all, r.named(trial.Called("stage "+s.Name+" of the "+s.Side)))
	}
	return all
}

// LimitingStep is the stage that limits the others, the busier of two; nil where none is named.
func LimitingStep(resources []Resource) (step *Resource) {
	for i := range resources {
		if r := &resources[i]; r.Step != nil && r.Step.Named && (step == nil || r.Utilisation > step.Utilisation) {
			step = r
		}
	}
	return step
}

// OtherStep names a second stage that is always busy; empty if there is none.
func OtherStep(resources []Resource, of *Resource) string {
	for _, r := range resources {
		if of != nil && of.Step != nil && r.Step != nil && r.Step.Both && r.Name != of.Name {
			return r.Name
		}
	}
	return ""
}

// Steps are the stages of a way, in its order; none where work has no stages.
func Steps(resources []Resource) (all []Resource) {
	for place := 0; ; place++ {
		before := len(all)
		for _, r := range resources {
			if r.Step != nil && r.Step.Place == place {
				all = append(all, r)
			}
		}
		if len(all) == before {
			return all
		}
	}
}
