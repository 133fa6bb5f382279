package reply

import (
	"testing"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/study"
)

func sure(v, low, high float64) stats.Interval {
	return stats.Interval{Value: v, Low: low, High: high, Confidence: stats.Confidence}
}

func cell(level string, v stats.Interval, of float64) model.ReplyCell {
	return model.ReplyCell{Variant: level, Level: level, Rung: 4, Value: v, Of: of, Unit: "files/s"}
}

func TestRepliesInWords(t *testing.T) {
	four := []model.ReplyCell{cell("replicated", sure(100, 90, 110), 36), cell("dispersed", sure(80, 75, 85), 12)}
	once := []model.ReplyCell{cell("replicated", stats.Exactly(100), 12), cell("dispersed", stats.Exactly(80), 12)}
	first := sure(7.2, 7, 7.4)
	for want, r := range map[string]*model.Reply{
		"Per drive, “dispersed” does most in 2 of 2 cases. In total “replicated” does most in 1 of 2 cases and in 1 no level is shown to do most (36 drives against 12).": {
			Kind: study.Comparison, Per: study.PerDrive, Groups: []model.ReplyGroup{{Cells: four, Best: "replicated", BestPer: "dispersed"}, {Cells: four, BestPer: "dispersed"}}},
		"“replicated” does most: 100 files/s (90–110) with “replicated” and 80 with “dispersed”.": {
			Kind: study.Comparison, Groups: []model.ReplyGroup{{Cells: four, Best: "replicated"}}},
		"Per drive, “replicated” did most in 2 of 3 cases and in 1 no level is shown to do most. In total no level is shown to do most.": {
			Kind: study.Comparison, Per: study.PerDrive, Groups: []model.ReplyGroup{{Cells: once, BestPer: "replicated"}, {Cells: once, BestPer: "replicated"}, {Cells: once}}},
		"“dispersed” has the lowest p99 of purchase: 40 ms with “replicated” and 20 ms (19 ms–21 ms) with “dispersed”, at 4 instances.": {
			Kind: study.Comparison, Metric: "purchase p99", Groups: []model.ReplyGroup{{Best: "dispersed", Cells: []model.ReplyCell{cell("replicated", sure(0.04, 0.038, 0.042), 0), cell("dispersed", sure(0.02, 0.019, 0.021), 0)}}}},
		"“dispersed” instead of “replicated”: −50 % CPU time per unit of work (−55 to −45 %).": {
			Kind: study.Effect, Metric: study.CPU, Groups: []model.ReplyGroup{{Cells: four, Steps: []model.ReplyStep{{Level: "dispersed", Rung: 1, Throughput: sure(0.5, 0.45, 0.55), Shown: true, P99From: 1, P99To: 9}}}}},
		"Per 1,000 USD, “dispersed” does most. In total “replicated” does most: 100 files/s (90–110) with “replicated” and 80 with “dispersed” (36,000 USD against 12,000).": {
			Kind: study.Comparison, Per: "1,000 USD", Currency: "USD", Groups: []model.ReplyGroup{{Cells: four, Best: "replicated", BestPer: "dispersed"}}},
		"“replicated” did most: 100 files/s with “replicated” and 80 with “dispersed”.": {
			Kind: study.Comparison, Groups: []model.ReplyGroup{{Cells: once, Best: "replicated"}}},
		"“dispersed” instead of “replicated”: −7 % files/s.": {
			Kind: study.Effect, Groups: []model.ReplyGroup{{Cells: once, Steps: []model.ReplyStep{{Level: "dispersed", Rung: 1, Throughput: stats.Exactly(0.93)}}}}},
		"“dispersed” instead of “replicated”: with 64KiB, 1.8 times the files/s (1.7 to 1.9 times), 2.1 times that per core. With 256B, no difference in files/s is shown (−9 to +12 %).": {
			Kind: study.Effect, Per: study.PerCore, Groups: []model.ReplyGroup{
				{Shared: "64KiB", Cells: four, Steps: []model.ReplyStep{{Level: "dispersed", Rung: 1, Throughput: sure(1.8, 1.7, 1.9), PerRatio: 2.1, Shown: true}}},
				{Shared: "256B", Cells: four, Steps: []model.ReplyStep{{Level: "dispersed", Rung: 1, Throughput: sure(1.01, 0.91, 1.12)}}}}},
		"“dispersed” instead of “replicated”: −7 % files/s (−9 to −5 %) at 1 instance, about the same files/s at 4 instances; p99 rises from 59 ms to 238 ms at 4 instances.": {
			Kind: study.Effect, Groups: []model.ReplyGroup{{Cells: four, Steps: []model.ReplyStep{
				{Level: "dispersed", Rung: 1, Throughput: sure(0.93, 0.91, 0.95), Shown: true},
				{Level: "dispersed", Rung: 4, Throughput: sure(1.01, 0.99, 1.03), Alike: true, P99From: 0.059, P99To: 0.238, P99Shown: true}}}}},
		"“dispersed” instead of “replicated”: −7 and +6 % files/s at 1 and 2 instances, no difference in files/s is shown (−30 to +50 %) at 4 and 8 instances.": {
			Kind: study.Effect, Groups: []model.ReplyGroup{{Cells: four, Steps: []model.ReplyStep{
				{Level: "dispersed", Rung: 1, Throughput: sure(0.93, 0.91, 0.95), Shown: true},
				{Level: "dispersed", Rung: 2, Throughput: sure(1.06, 1.01, 1.11), Shown: true},
				{Level: "dispersed", Rung: 4, Throughput: sure(1.01, 0.7, 1.2)},
				{Level: "dispersed", Rung: 8, Throughput: sure(1.1, 0.8, 1.5)}}}}},
		"“dispersed” instead of “replicated”: 2.0 times the files/s (1.9 to 2.1 times). “cached” instead of “replicated”: +20 % files/s (+10 to +30 %).": {
			Kind: study.Effect, Groups: []model.ReplyGroup{{Cells: four, Steps: []model.ReplyStep{
				{Level: "dispersed", Rung: 1, Throughput: sure(2, 1.9, 2.1), Shown: true},
				{Level: "cached", Rung: 1, Throughput: sure(1.2, 1.1, 1.3), Shown: true}}}}},
		"`drive` gives 92 % of its drives' rating and `raid6` 74 %. Not rated: 500 files/s with `memory`.": {
			Kind: study.OfRating, Groups: []model.ReplyGroup{{Cells: []model.ReplyCell{cell("drive", stats.Exactly(0.92), 1), cell("raid6", stats.Exactly(0.74), 12),
				{Variant: "memory", Unit: "files/s", Value: stats.Exactly(500), Unrated: true}}}}},
		"`drive` gives 92 % of its drives' rating and `raid6` 74 %.": {
			Kind: study.OfRating, Groups: []model.ReplyGroup{{Cells: []model.ReplyCell{cell("drive", sure(0.92, 0.9, 0.94), 1), cell("raid6", sure(0.74, 0.7, 0.79), 12)}}}},
		"Nothing that was acknowledged was lost, in 100 audited trials, which leaves open that up to 3.6 % of such trials lose some.": {
			Kind: study.Survival, Groups: []model.ReplyGroup{{Cells: []model.ReplyCell{{Variant: "a", Audited: 100, Losses: stats.Proportion(0, 100)}}}}},
		"`replicated` does not grow: 7.2 files/s (7–7.4) at 1 instance and 7.2 at 12. `dispersed` grows 3.9-fold from 1 to 12 instances, 33 % of linear, to 28 files/s (27–29).": {
			Kind: study.Scaling, Groups: []model.ReplyGroup{{Cells: []model.ReplyCell{
				{Variant: "replicated", Unit: "files/s", Value: first, Rung: 12, First: &first, FirstRung: 1},
				{Variant: "dispersed", Unit: "files/s", Value: sure(28, 27, 29), Rung: 12, First: &first, FirstRung: 1, Grows: true, Linear: 0.33}}}}},
		"Nothing that was acknowledged was lost by any of 2 variants, in 3 audited trials, which leaves open that up to 98 % of the trials of one lose some.": {
			Kind: study.Survival, Groups: []model.ReplyGroup{{Cells: []model.ReplyCell{{Variant: "a", Audited: 2, Losses: stats.Proportion(0, 2), Recoveries: 2, Recovered: 4.2}, {Variant: "b", Audited: 1, Losses: stats.Proportion(0, 1), Recoveries: 1, Recovered: 31}}}}},
		"`volatile` lost acknowledged work in 1 of 2 audited trials (1.3–99 %). The other kept all.": {
			Kind: study.Survival, Groups: []model.ReplyGroup{{Cells: []model.ReplyCell{{Variant: "volatile", Audited: 2, Lost: 1}, {Variant: "battery", Audited: 2}}}}},
		"`volatile` lost acknowledged work in 1 of 2 audited trials (1.3–99 %). The other kept all. In 1 of 3 trials with `volatile`, what had been acknowledged could not be counted.": {
			Kind: study.Survival, Groups: []model.ReplyGroup{{Cells: []model.ReplyCell{{Variant: "volatile", Audited: 2, Lost: 1, Uncounted: 1}, {Variant: "battery", Audited: 2}}}}},
		"`volatile` lost acknowledged work in 1 of 2 audited trials (1.3–99 %). In 1 of 3 trials with `battery`, what had been acknowledged could not be counted.": {
			Kind: study.Survival, Groups: []model.ReplyGroup{{Cells: []model.ReplyCell{{Variant: "volatile", Audited: 2, Lost: 1}, {Variant: "battery", Audited: 2, Uncounted: 1}}}}},
		"In 1 of 1 trial with `a`, what had been acknowledged could not be counted.": {
			Kind: study.Survival, Groups: []model.ReplyGroup{{Cells: []model.ReplyCell{{Variant: "a", Uncounted: 1}}}}},
		"Nothing that was acknowledged was lost by any of 2 variants, in 4 audited trials, which leaves open that up to 84 % of the trials of one lose some.": {
			Kind: study.Survival, Groups: []model.ReplyGroup{{Cells: []model.ReplyCell{{Variant: "a", Audited: 2, Losses: stats.Proportion(0, 2)}, {Variant: "battery", Audited: 2, Losses: stats.Proportion(0, 2)}}}}},
	} {
		if got := Text(r, model.StudyInfo{Noun: "instance"}, false); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// Where two variants carry the same load, the difference there is stated: throughput, or
// the response time of an open loop.
func TestWhatDiffersAtTheLines(t *testing.T) {
	reply := func(ratio stats.Interval, from, to float64) *model.Reply {
		return &model.Reply{Kind: study.Capacity, Groups: []model.ReplyGroup{{
			Cells: []model.ReplyCell{cell("default", sure(100, 90, 110), 0), cell("tuned", sure(210, 200, 220), 0)},
			Steps: []model.ReplyStep{{Rung: 4, Throughput: ratio, Shown: true, Metric: "mean", From: from, To: to}}}}}
	}
	open := model.StudyInfo{Noun: "stream", OpenLoop: true}
	for _, c := range []struct {
		r    *model.Reply
		s    model.StudyInfo
		want string
	}{
		{reply(sure(2.1, 2, 2.2), 0, 0), model.StudyInfo{Noun: "instance"}, "At 4 instances, `tuned` does 2.1 times the files/s of `default` (2.0 to 2.2 times)."},
		{reply(sure(0.8, 0.75, 0.85), 0, 0), model.StudyInfo{Noun: "instance"}, "At 4 instances, `default` does 25 % more files/s than `tuned` (+18 to +33 %)."},
		{reply(sure(1, 0.99, 1.01), 0.068, 0.008), open, "At 4 streams, the mean is 8 ms with `tuned` and 68 ms with `default`."},
		{reply(sure(1, 0.99, 1.01), 0.01, 0.008), open, ""},
	} {
		if got := AtLines(c.r, c.s); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Groups that share the level of a factor are described together, by the factor with the
// largest effect.
func TestChangesByTheLevelThatMatters(t *testing.T) {
	group := func(path, size string, ratio, per float64, shown bool) model.ReplyGroup {
		return model.ReplyGroup{Shared: path + ", " + size, Levels: []string{path, size},
			Cells: []model.ReplyCell{cell("off", sure(1, 0.9, 1.1), 0), cell("on", sure(ratio, ratio, ratio), 0)},
			Steps: []model.ReplyStep{{Level: "on", Rung: 1, Throughput: sure(ratio, 0.9*ratio, 1.1*ratio), Shown: shown, PerRatio: per}}}
	}
	r := &model.Reply{Kind: study.Effect, Per: study.PerCore, Groups: []model.ReplyGroup{
		group("remote", "256 B", 1.02, 0.95, false), group("remote", "16 KiB", 0.65, 0.8, true), group("remote", "64 KiB", 1.7, 1.8, true),
		group("local", "256 B", 0.99, 1.03, false), group("local", "16 KiB", 0.95, 0.9, false), group("local", "64 KiB", 1.9, 2.4, true),
	}}
	want := "“on” instead of “off”: with 256 B, no difference in files/s is shown (−11 to +12 %), −5 to +3 % per core. " +
		"With 16 KiB, −35 % files/s in 1 of 2 cases, −20 to −10 % per core. " +
		"With 64 KiB, 1.7–1.9 times the files/s, 1.8–2.4 times that per core."
	if got := Text(r, model.StudyInfo{Noun: "stream"}, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// For many cases that share a level the range is stated, without names.
func TestChangesOfManyCases(t *testing.T) {
	r := &model.Reply{Kind: study.Effect}
	for i, ratio := range []float64{0.92, 1.001, 0.95, 0.96, 0.97} {
		for _, size := range []string{"small", "large"} {
			r.Groups = append(r.Groups, model.ReplyGroup{Levels: []string{string(rune('a' + i)), size},
				Cells: []model.ReplyCell{cell("off", stats.Exactly(1), 0)},
				Steps: []model.ReplyStep{{Level: "on", Rung: 1, Throughput: stats.Exactly(ratio)}}})
			ratio *= 0.5
		}
	}
	want := "“on” instead of “off”: with small, −8 to 0 % files/s. With large, −54 to −50 % files/s."
	if got := Text(r, model.StudyInfo{Noun: "stream"}, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Of many variants the answer names the ends, not each.
func TestRepliesOfManyAreShort(t *testing.T) {
	first := sure(7, 6.9, 7.1)
	var grows, shares, lost []model.ReplyCell
	for i := range 16 {
		v := float64(i + 1)
		grows = append(grows, model.ReplyCell{Variant: "v", First: &first, Value: sure(7*v, 7*v, 7*v), Grows: i > 0})
		shares = append(shares, model.ReplyCell{Variant: string(rune('a' + i)), Value: sure(v/20, v/20, v/20)})
		lost = append(lost, model.ReplyCell{Variant: "v", Audited: 1, Lost: i % 2})
	}
	for want, r := range map[string]*model.Reply{
		"15 of 16 variants grow with the ladder, 2- to 16-fold; the others, such as `v`, are not shown to.": {Kind: study.Scaling, Groups: []model.ReplyGroup{{Cells: grows}}},
		"Of 16 variants, `p` reaches the largest share, 80 %, and `a` the smallest, 5 %.":                   {Kind: study.OfRating, Groups: []model.ReplyGroup{{Cells: shares}}},
		"8 of 16 variants lost acknowledged work. The other 8 kept all.":                                    {Kind: study.Survival, Groups: []model.ReplyGroup{{Cells: lost}}},
	} {
		if got := Text(r, model.StudyInfo{Noun: "instance"}, false); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
