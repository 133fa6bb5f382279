package report

import (
	"strings"
	"testing"

	"plimsoll/internal/result"
)

func TestMachinesAreListed(t *testing.T) {
	a := liveFixture()
	a.Machines = []result.Host{
		{Name: "worker-1", Roles: []string{result.ApplicationRole, result.DriverRole}, Cores: 16, Memory: 64 << 30},
		{Name: "worker-2", Roles: []string{result.StorageRole}, Simulated: true},
		{Name: "worker-3"},
	}
	for _, c := range []struct {
		name  string
		write func(*strings.Builder) error
		want  []string
	}{
		{"terminal", func(b *strings.Builder) error { return Terminal(b, a, 200, false) }, []string{
			"worker-1 (application, driver, 16 cores, 64 GiB); worker-2 (storage, simulated); worker-3 (role unknown).",
		}},
		{"Markdown", func(b *strings.Builder) error { return Markdown(b, a) }, []string{
			"| worker-1 | application, driver | 16 | 64 GiB | no |", "| worker-2 | storage | – | – | yes |",
		}},
		{"JSON", func(b *strings.Builder) error { return JSON(b, a) }, []string{`"machines"`, `"worker-3"`}},
	} {
		var b strings.Builder
		if err := c.write(&b); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s lacks %q", c.name, want)
			}
		}
	}
}
