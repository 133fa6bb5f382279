package trust

import (
	"plimsoll/internal/host/caught"
	"plimsoll/internal/result"
)

// Whole is a trial with all that its file holds, corrected for what a stall hid. A run
// that keeps little of its trials is read again; what cannot be is missing, as in a file
// that never had it.
func (e *Evidence) Whole(t *result.Trial) *result.Trial {
	whole, err := e.Run.Whole(t)
	if err != nil || whole == t {
		return t
	}
	if s, stalled := e.stalled[t.ID]; stalled {
		return s.Correct(whole)
	}
	return whole
}

// WholeOf reads several trials. As each is at hand then, it is judged for Doubts, which need
// not read it once more.
func (e *Evidence) WholeOf(trials []*result.Trial) []*result.Trial {
	out := make([]*result.Trial, len(trials))
	caught.Each(len(trials), func(i int) {
		out[i] = e.Whole(trials[i])
		if _, known := e.judged.Load(out[i].ID); !known {
			e.judged.Store(out[i].ID, e.doubtsOf(out[i]))
		}
	})
	return out
}

// doubtsAbout are the doubts about a trial, which may have been judged before.
func (e *Evidence) doubtsAbout(t *result.Trial) []Warning {
	if known, is := e.judged.Load(t.ID); is {
		return known.([]Warning)
	}
	if !doubted(t) {
		return nil
	}
	return e.doubtsOf(e.Whole(t))
}
