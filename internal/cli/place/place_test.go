package place

import (
	"strings"
	"testing"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/study"
)

// Flags choose a platform where they name one or reach a cluster, or else it is the study's.
func TestFlagsChooseThePlatform(t *testing.T) {
	here := study.Platform{Name: facts.DefaultPlatform}
	for _, c := range []struct {
		flags Options
		study study.Platform
		name  string
		says  string
	}{
		{Options{}, study.Platform{}, "", ""},
		{Options{}, here, facts.DefaultPlatform, ""},
		{Options{Platform: "kubernetes"}, here, "kubernetes", ""},
		{Options{Platform: "kubernetes", Kubeconfig: "config", Context: "test"}, study.Platform{}, "kubernetes", ""},
		{Options{Platform: "moon"}, here, "", `unknown platform "moon"; known: kubernetes, local`},
		{Options{Context: "test"}, here, "", "the platform is local"},
		{Options{Kubeconfig: "config"}, study.Platform{}, "", "the platform is local"},
	} {
		got, err := c.flags.Choose(c.study)
		if c.says != "" {
			if command.ExitCode(err) != command.ExitUsage || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%+v: %v", c.flags, err)
			}
			continue
		}
		if err != nil || got.Name != c.name {
			t.Errorf("%+v: %q, %v", c.flags, got.Name, err)
		}
		if cluster, is := got.Parameters.(Cluster); is && c.flags.Context != "" {
			if file, context := cluster.Cluster(); context != "test" || !strings.HasSuffix(file, "/config") {
				t.Errorf("the cluster is reached by %s, %s", file, context)
			}
		}
	}
}
