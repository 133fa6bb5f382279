package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/result"
)

// tolerantStudy is ten small databases. One of them may fail.
func tolerantStudy() string {
	return replace(study("postgres"), "ladder: [1, 2]", "ladder: [10]\ntolerate: 10 %", "memory: 256MiB", "memory: 64MiB",
		"users: 2, think_time: 20ms", "users: 1, think_time: 100ms", "measure: 3s", "measure: 8s")
}

// TestAServerKilledMidTrialIsTolerated: of ten databases one is killed while users are at
// work. The trial goes on with the other nine, and the report says which one is missing.
func TestAServerKilledMidTrialIsTolerated(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.start("run", s.write("tolerant.yaml", tolerantStudy()), "--name", "tolerant", "--min-grade", "F", "--retries", "0", "--json")
	b.until("the measured phase has begun", b.measuring)
	s.killOne("tolerant", "db-003")
	if code := b.wait(); code != 0 {
		t.Fatalf("exit code %d\n%s", code, &b.out)
	}
	contains(t, b.out.String(), "instance 3 is set aside: server db-003 ended")
	trial := s.trial("tolerant", "memory/10/1")
	if trial.Status != result.Passed || len(trial.SetAside) != 1 || len(trial.Instances) != 9 {
		t.Fatalf("%s (%+v) with %d instances; set aside: %+v", trial.Status, trial.Failure, len(trial.Instances), trial.SetAside)
	}
	if a := trial.SetAside[0]; a.Instance != 3 || a.Stage != "drive" || a.Phase != result.Measure || !strings.Contains(a.Reason, "killed") {
		t.Errorf("set aside: %+v", a)
	}
	if a := trial.Audit; a == nil || !a.Passed || a.Instances != 9 || a.SetAside != 1 {
		t.Errorf("the audit is %+v", a)
	}
	if whole := trial.Whole(); whole.Count == 0 || len(whole.Errors) > 0 {
		t.Errorf("%d orders, errors %v", whole.Count, whole.Errors)
	}
	const said = "1 of 10 instances failed and was set aside"
	for _, format := range []string{"text", "markdown", "json"} {
		contains(t, strings.Join(strings.Fields(s.shown("report", s.run("tolerant"), "--format", format)), " "), said, "at least 9 instances")
	}
	contains(t, s.shown("show", s.run("tolerant"), "memory/10/1"), "set aside: instance 3, which failed in the measured phase", "audit: ")
	page, err := os.ReadFile(filepath.Join(s.run("tolerant"), "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(page), said, "at least 9 instances")
	s.assertNothingLeft()
}

// TestTwoServersKilledAreTooMany: one more than the study tolerates fails the trial, and the
// error says how many failed.
func TestTwoServersKilledAreTooMany(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.start("run", s.write("tolerant.yaml", tolerantStudy()), "--name", "many", "--min-grade", "F", "--retries", "0", "--json")
	b.until("the measured phase has begun", b.measuring)
	s.killOne("many", "db-003")
	s.killOne("many", "db-007")
	if code := b.wait(); code != 4 {
		t.Fatalf("exit code %d\n%s", code, &b.out)
	}
	trial := s.trial("many", "memory/10/1")
	if trial.Status != result.Failed || trial.Failure.Stage != "drive" {
		t.Fatalf("%s, %+v", trial.Status, trial.Failure)
	}
	contains(t, trial.Failure.Cause, "2 of 10 instances failed, and the study tolerates 1 (tolerate: 10 %)", "db-003", "db-007")
	s.assertNothingLeft()
}
