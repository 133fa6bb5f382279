package e2e

import (
	"strings"
	"testing"

	"plimsoll/internal/result"
	"plimsoll/studies"
)

// The shipped study on two classes of a cluster, with two engines, at its first rung:
// every trial is audited, says how its instances got their data, on what, and which
// node did what.
func theShippedStudyOnTheCluster(t *testing.T) {
	s := clusterSiteOfMany(t)
	text, err := studies.Read("cns-ds2")
	if err != nil {
		t.Fatal(err)
	}
	whole, profile, _ := strings.Cut(string(text), "  cluster-small:\n")
	short := replace(profile, "ladder: [1, 2, 3]", "ladder: [1]", "warmup: 5s, measure: 10s", "warmup: 1s, measure: 4s")
	file := s.write("short.yaml", whole+"  cluster-small:\n"+short)
	arguments := []string{"run", file, "--profile", "cluster-small", "--platform", "kubernetes", "--name", "small", "--retries", "0"}
	for name, reference := range s.Images {
		arguments = append(arguments, "--image", name+"="+reference)
	}
	s.plimsoll(0, arguments...)
	contains(t, strings.ToLower(s.shown("report", s.run("small"))), "hdd", "ssd", "mariadb", "postgres", "node1")
	for _, variant := range []string{"hdd-mariadb", "hdd-postgres", "ssd-mariadb", "ssd-postgres"} {
		trial := s.trial("small", variant+"/1/1")
		if trial.Status != result.Passed || trial.Audit == nil || !trial.Audit.Passed || trial.Audit.Acknowledged == 0 {
			t.Errorf("%s: %s %+v %+v", variant, trial.Status, trial.Failure, trial.Audit)
			continue
		}
		if trial.Provisioned == nil || len(trial.Machines) != 1 || len(trial.Resources) == 0 {
			t.Errorf("%s: %+v, machines %+v, %d resources", variant, trial.Provisioned, trial.Machines, len(trial.Resources))
			continue
		}
		slow := strings.HasPrefix(variant, "hdd")
		by, why := "volume clone", ""
		if slow {
			by, why = result.InPlace, "cannot clone volumes"
		}
		if trial.Provisioned.By != by || !strings.Contains(trial.Provisioned.Why, why) || trial.Storage().Simulated != slow {
			t.Errorf("%s: %+v, simulated: %v", variant, *trial.Provisioned, trial.Storage().Simulated)
		}
	}
	report, _ := s.plimsoll(0, "report", s.run("small"), "--format", "markdown")
	contains(t, report, "are clones (volume clone) of a data set that was loaded once", "was loaded by itself, because StorageClass slow does not clone claims")
}
