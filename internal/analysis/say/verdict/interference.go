package verdict

import (
	"strings"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/text/words"
)

// TileAnswers answers the leading questions about a variant's tiles as far as the
// measurements do: how many tiles it carries, how much members slow each other down, and
// what one member's bursts cost the others.
//
// Needs: A study with members; the objectives of each member at both counts.
func TileAnswers(t model.Tile) []model.Answer {
	all := []model.Answer{{Question: say.F("How many tiles does %s carry?", t.Variant), Text: t.Text}}
	if text := aloneText(t); text != "" {
		all = append(all, model.Answer{Question: say.F("How much slower are the members of a tile on %s than alone?", t.Variant), Text: text})
	}
	if text := costText(t); text != "" {
		all = append(all, model.Answer{Question: say.F("What does %s cost the other members on %s?", t.Bursty, t.Variant), Text: text})
	}
	return all
}

// aloneText says how much longer the responses of each member take in its tile, and in the most
// tiles, than alone.
//
// Needs: Trials of the member alone (`ladder.alone`), and with the others.
func aloneText(t model.Tile) string {
	var parts []string
	var all []stats.Interval
	for _, i := range t.Interference {
		if i.Alone == nil || i.TileOverAlone.Mean.Value == 0 {
			continue
		}
		part := say.F("%s takes %s alone, and %s in %s", i.Member, words.Latency(i.Alone.Mean.Value), longer(i.TileOverAlone.Mean), say.Count(i.From, "tile"))
		if i.To > i.From && i.TopOverAlone.Mean.Value > 0 {
			part += say.F(" and %s in %d", longer(i.TopOverAlone.Mean), i.To)
			all = append(all, i.TopOverAlone.Mean)
		}
		parts, all = append(parts, part), append(all, i.TileOverAlone.Mean)
	}
	if len(parts) == 0 {
		return ""
	}
	return words.Sentences(say.F("On average, %s", strings.Join(parts, "; ")), unsure(all))
}

// costText states the cost of the one bursty member's bursts for each other member.
//
// Needs: Exactly one member with bursts, and response times of another on and off burst in every
// trial; the work of a closed loop alone.
func costText(t model.Tile) string {
	var parts []string
	var all []stats.Interval
	for _, c := range t.Costs {
		parts = append(parts, costOf(c))
		if c.Blurred == 0 {
			all = append(all, c.Response)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return words.Sentences(say.F("At %s, while %s is at work, %s", say.Count(t.CostsAt, "tile"), t.Bursty, strings.Join(parts, "; ")), unsure(all))
}

// costOf states the cost of bursts for a member, or why it is unknown.
//
// Needs: A p99 of more than a tenth of the burst or of the pause between two.
func costOf(c model.BurstCost) string {
	if c.Blurred > 0 {
		return say.F("%s takes up to %s (p99), too long to tell what bursts or pauses of %s do to it", c.Member, words.Latency(c.Blurred), words.Seconds(c.Burst))
	}
	text := say.F("%s takes %s: %s on average, otherwise %s", c.Member, longer(c.Response), words.Latency(c.On), words.Latency(c.Off))
	if c.Work.Value > 0 {
		text += say.F(", and does %s of the work%s", words.Figures(c.Work.Value), bounds(c.Work))
	}
	return text
}

// longer says how many times as long something takes; about as long where its bounds hold 1 and
// lie near it, and that no difference is shown where they hold 1 and more.
//
// Needs: "about as long" if the interval holds 1 and ends within 1.25 times; "no difference is shown"
// if it, or the range, holds 1 and more.
func longer(i stats.Interval) string {
	if (i.Bounded() || i.Extremes) && i.Low <= 1 && i.High >= 1 {
		if i.Bounded() && i.Low >= 1/alike && i.High <= alike {
			return say.F("about as long (%s to %s times)", words.Figures(i.Low), words.Figures(i.High))
		}
		return say.F("%s to %s times as long (no difference is shown)", words.Figures(i.Low), words.Figures(i.High))
	}
	times := say.Times(i.Value, 3)
	if times == "1" {
		return say.F("about as long%s", bounds(i))
	}
	return say.F("%s times as long%s", times, bounds(i))
}

// alike is the largest factor by which response times may differ that are called about as long.
const alike = 1.25

// bounds writes the bounds of a factor, if it has any.
func bounds(i stats.Interval) string {
	switch {
	case i.Bounded():
		return say.F(" (%s to %s)", words.Figures(i.Low), words.Figures(i.High))
	case i.Extremes:
		return say.F(" (range %s to %s)", words.Figures(i.Low), words.Figures(i.High))
	}
	return ""
}

// unsure says that none of some figures has an interval.
//
// Needs: No interval of either.
func unsure(all []stats.Interval) string {
	for _, i := range all {
		if i.Bounded() {
			return ""
		}
	}
	if len(all) == 0 {
		return ""
	}
	return say.F("There are too few repetitions for an interval, so how far these figures are due to chance is unknown")
}
