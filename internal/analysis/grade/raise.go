package grade

import (
	"math"
	"slices"
	"strconv"
	"time"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/text/unit"
)

// What a warning's reason could be removed with: more repetitions, a longer phase, or a
// machine that does nothing else.
const (
	enoughRepetitions = 3
	shortPhase        = 10 * time.Second // below which a phase is doubted for its length
	fewUnits          = 200              // below which its percentiles are
)

// fromOutside are the kinds of warnings about what else the machine did, and followsOutside
// those that come from it or from the run's own work alike: where nothing else was seen, a
// machine that does nothing else would not help.
var (
	fromOutside    = []trust.Kind{trust.Strangers, trust.Background, trust.Steal, trust.SteadilyBusy, trust.Clock}
	followsOutside = []trust.Kind{trust.DriverLate, trust.StorageDoubt}
)

// Raise finds what would raise the grade: for all trials with the worst grade that the
// verdict rests on, the settings of the study and the quiet that remove reasons. It is
// missing where nothing of that would give a better one.
func Raise(s *setup.Subject, a *model.Analysis) *model.Improvement {
	r := &model.Improvement{}
	need := s.Study.Phases.Measure.D()
	for _, t := range s.Run.Trials {
		if info := infoOf(a.Trials, t.ID); info == nil || info.Grade != a.Grade || !a.Decides(*info) {
			continue
		}
		var left []trust.Warning
		outside := warned(a, t.ID, fromOutside)
		for _, w := range a.Warnings {
			if w.Kind == trust.Strangers && warned(a, t.ID, []trust.Kind{trust.Steal}) {
				w.Kind = trust.Steal // which ends both
			}
			if w.Trial == t.ID && !removes(r, &need, s, t, w, outside) {
				left = append(left, w)
			}
		}
		r.To = max(r.To, trust.Grade(t, left))
	}
	if need > s.Study.Phases.Measure.D() {
		r.Set = append(r.Set, "phases.measure="+unit.Duration(need).String())
	}
	if r.To == "" || r.To >= a.Grade || len(r.Set) == 0 && !r.Idle && !r.Guests {
		return nil
	}
	slices.Sort(r.Set)
	r.Set = slices.Compact(r.Set)
	return r
}

// warned reports whether a trial has a warning of one of these kinds.
func warned(a *model.Analysis, trial string, kinds []trust.Kind) bool {
	return slices.ContainsFunc(a.Warnings, func(w trust.Warning) bool {
		return w.Trial == trial && slices.Contains(kinds, w.Kind)
	})
}

func infoOf(trials []model.TrialInfo, trial string) *model.TrialInfo {
	if i := slices.IndexFunc(trials, func(t model.TrialInfo) bool { return t.ID == trial }); i >= 0 {
		return &trials[i]
	}
	return nil
}

// removes notes what would remove a warning, and reports whether anything would. outside is
// whether something else was at work on the machine.
func removes(r *model.Improvement, need *time.Duration, s *setup.Subject, t *result.Trial, w trust.Warning, outside bool) bool {
	switch {
	case w.Severity == trust.Note:
		return true // which weighs nothing
	case w.Kind == trust.Steal: // which nothing on the machine itself can end
		r.Guests = true
	case slices.Contains(fromOutside, w.Kind), outside && slices.Contains(followsOutside, w.Kind):
		r.Idle = true
	case w.Kind == trust.OneRepetition:
		r.Set = append(r.Set, "repetitions="+strconv.Itoa(enoughRepetitions))
	case w.Kind == trust.ShortPhase && !t.Profile.Fixed:
		*need = max(*need, shortPhase)
	case w.Kind == trust.FewUnits && t.Whole().Count > 0 && !t.Profile.Fixed:
		*need = max(*need, longer(s.Study.Phases.Measure.D(), t.Whole().Count))
	default:
		return false
	}
	return true
}

// longer is the phase in which fewUnits units of work end at the rate of a trial, in whole
// tens of seconds.
func longer(measured time.Duration, count int64) time.Duration {
	seconds := measured.Seconds() * fewUnits / float64(count)
	return time.Duration(math.Ceil(seconds/10)) * 10 * time.Second
}
