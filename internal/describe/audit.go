package describe

import "slices"

// Audit is the result of the audit of one instance.
type Audit struct {
	Instance     int     `json:"instance"`
	Acknowledged int64   `json:"acknowledged"`
	Doubtful     int64   `json:"doubtful"`
	Present      int64   `json:"present"` // acknowledged and found, once, complete
	Checks       []Check `json:"checks"`
}

// Check is one question to an instance.
type Check struct {
	Name     string `json:"name"` // "every acknowledged order is present"
	Passed   bool   `json:"passed"`
	Expected int64  `json:"expected"`
	Found    int64  `json:"found"`
	// Uncounted says why the question could not be asked, or not to its end: the database is
	// gone. Expected and Found are what was counted until then, and say nothing of a loss.
	Uncounted string   `json:"uncounted,omitempty"`
	Examples  []string `json:"examples,omitempty"` // at most ten offenders
}

// Failed reports whether the question was asked to its end and answered with a fault.
func (c Check) Failed() bool { return !c.Passed && c.Uncounted == "" }

// Passed reports whether there were checks and every one passed.
func (a Audit) Passed() bool {
	return len(a.Checks) > 0 && !slices.ContainsFunc(a.Checks, func(c Check) bool { return !c.Passed })
}

// Cut has an error end the audit: none of its checks is known to have been made to its end.
// Without an error it changes nothing.
func (a *Audit) Cut(err error) {
	if err == nil {
		return
	}
	for i := range a.Checks {
		a.Checks[i].Passed, a.Checks[i].Uncounted = false, err.Error()
	}
}
