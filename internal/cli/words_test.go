package cli

import (
	"regexp"
	"strings"
	"testing"

	"plimsoll/internal/describe"
	"plimsoll/internal/result/resulttest"
	"plimsoll/test/quick"
)

// ofAShop finds words that belong to one workload alone.
var ofAShop = regexp.MustCompile(`(?i)\bOPM\b|\borders\b|\ban order\b|\bper order\b|\border (?:mean|p\d)|"order"|dvd ?store`)

// Every command speaks of the unit of work of the run's own workload.
func TestOutputsSpeakOfTheWorkloadsUnit(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, profile := range []describe.Profile{resulttest.Transactions(), resulttest.Blocks()} {
		t.Run(profile.Unit.Name, func(t *testing.T) {
			s := newSite(t)
			if err := resulttest.RunOf(profile, "runs/made-up", []string{"ssd", "hdd"}, []int{1, 4, 16}, 3, 30); err != nil {
				t.Fatal(err)
			}
			for _, args := range []string{
				"show runs/made-up", "show runs/made-up ssd/4/1", "report runs/made-up", "report runs/made-up --format markdown",
				"report runs/made-up --format csv", "report runs/made-up --format json", "compare runs/made-up:ssd runs/made-up:hdd",
			} {
				code, out, errs := s.plimsoll(strings.Fields(args)...)
				if code != 0 {
					t.Fatalf("%s: exit code %d: %s", args, code, errs)
				}
				if found := ofAShop.FindString(out); found != "" {
					t.Errorf("%s speaks of %q:\n%s", args, found, out)
				}
			}
			if _, out, _ := s.plimsoll("report", "runs/made-up", "--format", "markdown"); !strings.Contains(out, profile.Correctness) {
				t.Errorf("%q is missing in\n%s", profile.Correctness, out)
			}
			_, out, _ := s.plimsoll("show", "runs/made-up")
			for _, want := range []string{strings.ToUpper(profile.Unit.Plural), profile.Unit.Throughput} {
				if !strings.Contains(out, want) {
					t.Errorf("%s is missing in\n%s", want, out)
				}
			}
		})
	}
}
