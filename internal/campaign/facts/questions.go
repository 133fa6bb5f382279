package facts

import (
	"slices"
	"sync"
)

// Asking is whether a plan may ask the existing servers that a study names, with the
// secrets that it names. Who looks at somebody else's study does not want to.
type Asking struct {
	Never bool
	// Say hears whom the plan is about to ask, and with which secret; it may be nil.
	Say func(what string)
}

// questions are whom a plan has asked, or would have.
type questions struct {
	Asking
	mu   sync.Mutex
	seen []string
}

// may reports whether servers may be asked, and says that they are.
func (q *questions) may(what string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if slices.Contains(q.seen, what) {
		return !q.Never
	}
	q.seen = append(q.seen, what)
	if !q.Never && q.Say != nil {
		q.Say("asks " + what)
	}
	return !q.Never
}

// unasked says whom a plan has not asked, and how they are asked.
func (q *questions) unasked() (notes []string) {
	if !q.Never {
		return nil
	}
	for _, what := range q.seen {
		notes = append(notes, "not asked: "+what+"; `plimsoll plan --ask` asks there whether a run can use it, as `plimsoll run` does")
	}
	return notes
}
