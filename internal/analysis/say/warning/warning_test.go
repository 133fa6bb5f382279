package warning

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
	"plimsoll/test/quick"
)

// warned are the warnings of a kind about a made-up trial of two minutes, in words.
func warned(kind trust.Kind, change func(*result.Trial)) (all []string) {
	run := analysistest.MadeUp(analysistest.MeanBelow(1), analysistest.Sample{Variant: "a", Rung: 1, OPM: 1200, Mean: 0.1, Change: func(t *result.Trial) {
		analysistest.Healthy(t)
		change(t)
	}})
	return textsOf(trust.Sift(run), kind)
}

func textsOf(e *trust.Evidence, kind trust.Kind) (all []string) {
	doubts := e.Doubts()
	Write(doubts)
	for _, w := range doubts {
		if w.Kind == kind {
			all = append(all, w.Text)
		}
	}
	return all
}

func TestDoubtsInWords(t *testing.T) {
	nodes := func(roles ...string) func(*result.Trial) {
		return func(t *result.Trial) {
			t.Machines = []result.Host{{Name: "worker-1", Roles: []string{result.ApplicationRole}, Cores: 4}, {Name: "worker-3", Roles: roles, Cores: 2}}
			t.Drivers = []result.DriverSummary{{Name: "driver-0", CPUUser: 0.8 * 2 * 120}}
			analysistest.SampledOn(t, "worker-3", "cpu", "", "utilisation", 0.97)
			analysistest.SampledOn(t, "worker-3", "driver", "driver-0", "cpu", 1.6)
		}
	}
	for _, c := range []struct {
		kind   trust.Kind
		change func(*result.Trial)
		want   []string
	}{
		{"cut-off", func(t *result.Trial) { t.Unfinished = 3 }, []string{"3 users had not finished their work when the measured phase ended after 120 s: how long all of it takes is unknown; raise phases.measure"}},
		{"loop", func(t *result.Trial) { t.Variant.Load.Users = 100 }, []string{"orders and think time account for 8.0 % of the users' time (X·(R+Z)): in the rest they were connecting, reconnecting or held up in the driver"}},
		{"stall", func(t *result.Trial) {
			o := t.Operations["order"]
			o.Waiting, o.Overdue, o.Oldest = 8, 8, 5.02
			t.Operations["order"] = o
		}, []string{"when the measured phase ended, 8 orders had been waiting for up to 5.02 s, longer than 99 % of orders took; how they ended was not measured, so measure longer"}},
		{"records", func(t *result.Trial) {
			t.Damage = []string{"driver-0.jsonl: line 4: unexpected end of JSON input", "driver-1: its records have no end"}
		},
			[]string{"some of the drivers' records could not be used: driver-0.jsonl: line 4: unexpected end of JSON input; and 1 more problem"}},
		{"memory", func(t *result.Trial) {
			analysistest.Sampled(t, "pressure", "memory", "some", 0.35)
			analysistest.Sampled(t, "pressure", "db-000/memory", "some", 0.2)
		}, []string{
			"tasks on the machine waited for memory in 35 % of the time: part of what looks like slow storage is too little memory",
			"tasks of db-000 waited for memory in 20 % of the time: part of what looks like slow storage is too little memory",
		}},
		{"driver-saturated", nodes(result.DriverRole), []string{"the CPU of node worker-3, which runs drivers only, was 97 % busy, so the figures partly measure the load generator; spread the drivers over more machines or raise the think time"}},
		{"driver-saturated", nodes(result.ApplicationRole, result.DriverRole), []string{"the drivers used 80 % of node worker-3's CPU, so the figures partly measure the load generator; move the drivers to another machine or raise the think time"}},
		{"durability", func(t *result.Trial) {
			t.Servers = []result.Server{{GivesUp: []string{"fsync = off (a crash loses data)"}}}
		},
			[]string{"settings give up durability: fsync = off (a crash loses data); commits then cost less than durable ones"}},
		{"cache", restored(0.2), []string{"the devices read only 20 MB of the 100 MB that was read to restore: the rest came from caches of the storage, which may be empty after a failure"}},
		{"cache", restored(1), nil},
		{"set-aside", excluded(5, result.Exclusion{Node: "worker-2", Stage: result.StageProvision, Reason: "its server ended: exit status 1\nPANIC: out of luck"}), []string{"5 of 1,000 instances failed and were set aside, as the study tolerates; the figures are those of the other 995, and what failed was not audited: instance 0 on worker-2 while it got its data (its server ended: exit status 1); instance 0 on worker-2 while it got its data (its server ended: exit status 1); instance 0 on worker-2 while it got its data (its server ended: exit status 1); and 2 more"}},
		{"set-aside", excluded(1, result.Exclusion{Instance: 7, Member: "shop", Stage: result.StageDrive, Phase: result.Warmup, Reason: "gone"}), []string{"1 of 1,000 instances failed and was set aside, as the study tolerates; the figures are those of the other 999, and what failed was not audited: instance 7 of shop in the warm-up (gone)"}},
		{"count", func(t *result.Trial) { t.Operations["order"] = result.OperationSummary{} }, []string{"no order was completed in the measured phase"}},
	} {
		got := warned(c.kind, c.change)
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}

// excluded has so many instances set aside of a thousand.
func excluded(n int, one result.Exclusion) func(*result.Trial) {
	return func(t *result.Trial) { t.Rung, t.SetAside = 1000, slices.Repeat([]result.Exclusion{one}, n) }
}

// restored has a trial restore 100 MB and devices read a share of it.
func restored(share float64) func(*result.Trial) {
	return func(t *result.Trial) {
		t.Profile.Saves = &describe.Saves{Save: "order", Restore: "reload"}
		t.Operations["reload"] = result.OperationSummary{Count: 10, Bytes: 100e6, Mean: 1}
		t.Devices = []describe.Device{{Name: "a"}}
		analysistest.Sampled(t, "device", "a", "read_bytes", share*100e6/120)
	}
}

// loops are made-up loops that stall or lack records, each with the expected warnings.
func loops() []struct {
	kind trust.Kind
	loop analysistest.Loop
	want string
} {
	frozen := func(instance int, from, to float64) func(int) (float64, float64) {
		return func(i int) (float64, float64) {
			if instance < 0 || i == instance {
				return from, to
			}
			return 0, 0
		}
	}
	often := func(at float64) (float64, float64) {
		begins := math.Floor(at/10)*10 + 4.4
		return begins, begins + 1.2
	}
	const closed = "; the users of a closed loop begin nothing meanwhile: p99 is "
	return []struct {
		kind trust.Kind
		loop analysistest.Loop
		want string
	}{
		{"stall", analysistest.Loop{Instances: 1, Users: 4, Seconds: 12, Service: 0.004, Frozen: frozen(-1, 3.6, 8.6)},
			"nothing ended for 5 s (42 % of the phase), from 4 s into it on; 4 orders were under way then" + closed},
		{"stall", analysistest.Loop{Instances: 1, Users: 4, Seconds: 60, Service: 0.01, Frozen: frozen(-1, 0.01, 4)},
			"nothing ended for 4 s (6.7 % of the phase), from its beginning on; 4 orders were under way then" + closed},
		{"stall", analysistest.Loop{Instances: 4, Users: 2, Seconds: 60, Service: 0.01, Frozen: frozen(2, 30, 1000)},
			"nothing ended on instance-002 for 30 s (50 % of the phase), up to its end; "},
		{"stall", analysistest.Loop{Instances: 1, Users: 8, Seconds: 120, Service: 0.01, Often: often},
			"nothing ended for 14.4 s in 12 stalls (12 % of the phase), the longest of 1.2 s from 4 s into it on; they come every 10 s; "},
		{"stall", analysistest.Loop{Instances: 1, Rate: 100, Seconds: 40, Service: 0.01, Frozen: frozen(-1, 10, 20)},
			"nothing ended for 10 s (25 % of the phase), from 10 s into it on; about 1,000 orders fell due then; response times count from when work was due and include it"},
		{"records", analysistest.Loop{Instances: 2, Users: 4, Seconds: 120, Service: 0.05, Unrecorded: [2]int{40, 80}},
			"records missing: 40 of 120 s of the measured phase (33 %) have none, or not all; throughput is too low by about as much, and what happened then is unknown"},
	}
}

// A stall says for how long nothing ended, where, and what that means for the figures.
func TestStallsInWords(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, c := range loops() {
		run, err := c.loop.Run(filepath.Join(t.TempDir(), "run"))
		if err != nil {
			t.Fatal(err)
		}
		if got := textsOf(trust.Sift(run), c.kind); len(got) != 1 || len(got[0]) < len(c.want) || got[0][:len(c.want)] != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}

// Warnings of one kind, severity, form and set of names differ only in their figures, so
// that warnings of several trials can be merged for display.
func TestWarningsOfOneFormDifferInFigures(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	var all []trust.Warning
	add := func(w trust.Warning) { all = append(all, w.Of("a/1/1")) }
	for _, l := range loops() {
		run, err := l.loop.Run(filepath.Join(t.TempDir(), "run"))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range trust.Sift(run).Doubts() {
			add(w)
		}
	}
	for _, c := range analysistest.Courses(120) {
		for seed := range uint64(3) {
			for _, w := range trust.Unsteady(analysistest.Rates{Seconds: 120, Noise: 0.01, Level: c.Level}.Series(seed)) {
				add(w)
			}
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		e := trust.Sift(analysistest.HostileRun(r))
		for _, w := range slices.Concat(e.Doubts(), e.Damage, e.LeftOut()) {
			add(w)
		}
	})
	Write(all)
	texts := map[string]string{}
	for _, w := range all {
		key, text := groupKey(w), withoutFigures(w)
		if before, known := texts[key]; known && before != text {
			t.Errorf("%s:\n%s\n%s", key, before, text)
		}
		texts[key] = text
	}
	if len(texts) < 20 {
		t.Errorf("only %d groups were seen", len(texts))
	}
}

func withoutFigures(w trust.Warning) string {
	text := []rune(w.Text)
	for _, f := range slices.Backward(w.Figures) {
		text = slices.Replace(text, f.At, f.At+f.Length, '#')
	}
	return string(text)
}

func TestTextsAreJoinedWithTheirFigures(t *testing.T) {
	at := func(n int) words.Phrase { return words.Say("all at %d", n) }
	for want, items := range map[string][]words.Phrase{"": nil, "all at 1": {at(1)}, "all at 1, all at 2 and all at 3": {at(1), at(2), at(3)}} {
		if got := series(items); got.Text != want || len(got.Figures) != len(items) {
			t.Errorf("%+v, want %q", got, want)
		}
	}
}
