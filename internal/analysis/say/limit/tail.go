package limit

import (
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/text/words"
)

// tailText says what made the slowest units of work slow: "81 % of the orders above p95 ended in 12 periods
// of high response time (8 s long, 14 % of the time). In these an order takes 210 ms, 160 ms more than
// in the others: 140 ms of that waiting for disk loop0; 6 % is unexplained."
//
// Needs: An objective on p95 or p99 is missed, and periods carry a cause.
func tailText(v *model.Variant) string {
	t := v.Tail
	r := rung.Find(v.Rungs, t.At)
	at := func(place int) *resource.Resource {
		for i := range r.Resources {
			if of := &r.Resources[i]; of.Kind == resource.Device && of.Name == t.Growth[place].Resource {
				return of
			}
		}
		return nil
	}
	text := say.F("About %s of the %s above %s ended in %s of high response time (%s long, %s of the time). In these %s takes %s, %s more than in the others: %s",
		words.Percent(t.Slow), v.Work.Unit.Plural, t.Metric, say.Count(t.Periods, "period"), words.Seconds(t.Length), words.Percent(t.Time),
		say.A(v.Work.Unit.Name), words.Seconds(t.After), words.Seconds(t.After-t.Before), partsText(t.Growth, at))
	if rest := restShare(t.Unexplained); rest != "" {
		text += say.F("; %s is unexplained", rest)
	}
	return text + "."
}
