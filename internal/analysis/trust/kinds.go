package trust

// Kinds of warnings that more than one package has to do with.
const (
	// Strangers is the kind of warnings about others that used more of a machine than the margin of
	// the verdict.
	Strangers = "strangers"
	Steal     = "steal" // the hypervisor gave CPU to other guests

	Running       = "running"    // trials are still to come
	MissingTrial  = "missing"    // a planned trial has no result
	FewUnits      = "count"      // few units of work were measured
	OneRepetition = "repetition" // the only one of its rung
	Outlier       = "outlier"    // a repetition far from the others of its rung
	ShortPhase    = "length"     // of the measured phase
)
