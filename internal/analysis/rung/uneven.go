package rung

import (
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
)

// Imbalance is a trial whose instances were not served alike.
type Imbalance struct {
	Trial   string   `json:"trial"`             // of the rung's repetitions
	Jain    float64  `json:"jain"`              // Jain's index of their units of work
	Of      int      `json:"of"`                // how many instances there were
	Least   int      `json:"least"`             // the number of the one that did least
	Share   float64  `json:"share"`             // of the units of work that it did
	Machine string   `json:"machine,omitempty"` // that it ran on, empty where that goes without saying
	Volumes []string `json:"volumes,omitempty"` // names of its volumes
}

// evenEnough is the index from which instances are called evenly served: they differ by
// less than a quarter (the index is 1/(1+v^2) for a coefficient of variation v).
const evenEnough = 0.95

// LeastEvenTrial is the trial with the lowest index; nil where instances were served evenly
// everywhere, or do not differ by more than the root of so few units of work would.
func LeastEvenTrial(trials []*result.Trial) (least *Imbalance) {
	for _, t := range trials {
		u := uneven(t)
		if u != nil && (least == nil || u.Jain < least.Jain) {
			least = u
		}
	}
	return least
}

func uneven(t *result.Trial) *Imbalance {
	var sum, squares float64
	var least *result.InstanceSummary
	for i := range t.Instances {
		s := &t.Instances[i]
		n := float64(s.Count)
		sum, squares = sum+n, squares+n*n
		if least == nil || s.Count < least.Count {
			least = s
		}
	}
	n := float64(len(t.Instances))
	if n < 2 || sum <= 0 {
		return nil
	}
	jain := sum * sum / (n * squares)
	chance := inflation * stats.Ratio(n, sum) // the squared variation of counts of so few
	if 1/jain-1 <= 1/evenEnough-1+chance {
		return nil
	}
	return &Imbalance{Trial: t.ID, Jain: jain, Of: len(t.Instances), Least: least.Instance, Share: stats.Ratio(float64(least.Count), sum),
		Machine: machineOf(t, least.Instance), Volumes: least.Volumes}
}
