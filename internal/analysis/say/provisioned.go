package say

import (
	"cmp"
	"time"

	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
)

// provisioned says of each variant how its instances got their data sets, and how
// long that took at its largest rung.
func provisioned(s *setup.Subject) (all []string) {
	largest := map[string]*result.Trial{}
	var order []string
	for _, t := range s.Run.Trials {
		name := t.Variant.Name
		switch before := largest[name]; {
		case t.Provisioned == nil:
		case before == nil:
			order = append(order, name)
			largest[name] = t
		case t.Rung > before.Rung:
			largest[name] = t
		}
	}
	for _, name := range order {
		all = append(all, provisionedText(s.Whole(largest[name])))
	}
	return all
}

// provisionedText says how the instances of a trial got their data sets.
//
// Needs: How the instances were provisioned.
func provisionedText(t *result.Trial) string {
	p := t.Provisioned
	instances := Count(cmp.Or(len(t.Instances), 1), "instance")
	took := F("%s took %s, at most %d at once", instances, span(p.Seconds), p.AtOnce)
	if p.By != result.InPlace {
		return F("The volumes of `%s` are clones (%s) of a data set that was loaded once, in %s; %s.", t.Variant.Name, p.By, span(p.GoldenSeconds), took)
	}
	text := F("Each instance of `%s` was loaded by itself", t.Variant.Name)
	if p.Why != "" {
		text += F(", because %s", p.Why)
	}
	return text + "; " + took + "."
}

func span(seconds float64) string {
	if seconds < 60 {
		return words.Seconds(seconds)
	}
	return words.Span(time.Duration(seconds * float64(time.Second)))
}
