package analysis

import (
	"slices"
	"testing"
	"time"

	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// Settings that give up durability are a serious doubt of the variants that have
// them, and every setting of the study is in the analysis.
func TestSettingsAreListedAndDurabilityIsDoubted(t *testing.T) {
	const gives = "innodb_flush_log_at_trx_commit = 2 (a crash loses about a second of commits that were acknowledged)"
	engine := func(value string, gives ...string) func(int, *result.Trial) {
		return func(_ int, t *result.Trial) {
			t.Variant.Engine = study.Engine{Name: "mariadb", Memory: 256 << 20, Settings: map[string]string{"innodb_flush_log_at_trx_commit": value, "innodb_io_capacity": "2000"}}
			t.Servers = []result.Server{{GivesUp: gives}}
		}
	}
	run := madeUp(meanBelow(1), slices.Concat(times3("commit1", 1, engine("1")), times3("commit2", 1, engine("2", gives)))...)
	run.Plan.Study.Phases.Measure = unit.Duration(30 * time.Second)
	a := analyse(t, run)
	w := ofWarnings(a, "durability")
	if len(w) != 3 || w[0].Severity != trust.Serious || w[0].Trial != "commit2/1/1" || !slices.Equal(w[0].Names, []string{gives}) {
		t.Errorf("%+v", w)
	}
	if a.Variants[0].Rungs[0].Grade != "A" || a.Variants[1].Rungs[0].Grade != "F" {
		t.Errorf("grades %s and %s", a.Variants[0].Rungs[0].Grade, a.Variants[1].Rungs[0].Grade)
	}
	got := map[string]Setting{}
	for _, s := range a.Settings {
		got[s.Name] = s
	}
	if s := got["engine.settings.innodb_flush_log_at_trx_commit"]; s.Value != "" || s.ByVariant["commit1"] != "1" || s.ByVariant["commit2"] != "2" {
		t.Errorf("%+v", s)
	}
	for name, want := range map[string]string{"engine.settings.innodb_io_capacity": "2000", "engine.name": "mariadb", "engine.memory": "256MiB", "load.users": "8", "load.think_time": "300ms", "phases.measure": "30s"} {
		if got[name].Value != want {
			t.Errorf("%s = %+v, want %s", name, got[name], want)
		}
	}
}

// Parameters that do nothing are listed only for the variants in which they do something.
func TestUnusedParametersAreNotListed(t *testing.T) {
	profile := func(unused ...string) func(int, *result.Trial) {
		return func(_ int, t *result.Trial) {
			t.Variant.Workload.Parameters = map[string]any{"n_reviews": 3, "n_searches": 3}
			t.Profile.Unused = unused
		}
	}
	run := madeUp(meanBelow(1), slices.Concat(times3("two", 1, profile("n_reviews")), times3("three", 1, profile()))...)
	got := map[string]Setting{}
	for _, s := range analyse(t, run).Settings {
		got[s.Name] = s
	}
	if s := got["workload.parameters.n_searches"]; s.Value != "3" {
		t.Errorf("%+v", s)
	}
	if s := got["workload.parameters.n_reviews"]; s.Value != "" || len(s.ByVariant) != 1 || s.ByVariant["three"] != "3" {
		t.Errorf("%+v", s)
	}
}
