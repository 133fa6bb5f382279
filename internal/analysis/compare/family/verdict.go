package family

// Verdict of a difference, from the view of B.
type Verdict string

// Verdicts. NoDifference means that none was shown, not that there is none.
const (
	Better       Verdict = "better"
	Worse        Verdict = "worse"
	NoDifference Verdict = "no difference shown"
	// Inconclusive: no difference was shown, and one that matters could not have
	// been seen.
	Inconclusive Verdict = "inconclusive"
	// Untested: nothing was repeated, so that nothing tells a difference from
	// chance.
	Untested Verdict = "too few repetitions"
)
