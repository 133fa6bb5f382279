package describe

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
	Name     string   `json:"name"` // "every acknowledged order is present"
	Passed   bool     `json:"passed"`
	Expected int64    `json:"expected"`
	Found    int64    `json:"found"`
	Examples []string `json:"examples,omitempty"` // at most ten offenders
}

// Passed reports whether there were checks and every one passed.
func (a Audit) Passed() bool {
	for _, c := range a.Checks {
		if !c.Passed {
			return false
		}
	}
	return len(a.Checks) > 0
}
