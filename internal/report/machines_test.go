package report

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

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

func TestBrowserListsMachines(t *testing.T) {
	ctx := startBrowser(t)
	path := filepath.Join(t.TempDir(), "report.html")
	live := liveFixture()
	live.Machines = []result.Host{
		{Name: "worker-1", Roles: []string{result.ApplicationRole, result.DriverRole}, Cores: 16, Memory: 64 << 30},
		{Name: "worker-2", Roles: []string{result.StorageRole}, Simulated: true},
	}
	writeReport(t, path, live, nil)
	tab, cancel := chromedp.NewContext(ctx)
	defer cancel()
	open(t, tab, path, view{"desk", 1280, 900, false})
	text := evaluate[string](t, tab, `document.getElementById("machine").textContent`)
	for _, want := range []string{"Machines of the trials", "worker-1application, driver16", "worker-2 (simulated)storage"} {
		if !strings.Contains(text, want) {
			t.Errorf("the section does not say %q: %s", want, text)
		}
	}
}

// A thousand machines are no paragraph: those that are alike are counted.
func TestManyMachinesAreGrouped(t *testing.T) {
	a := liveFixture()
	for n := range 1000 {
		h := result.Host{Name: fmt.Sprintf("node-%04d", n), Roles: []string{result.ApplicationRole}, Cores: 16}
		if n == 500 {
			h.Cores = 32
		}
		a.Machines = append(a.Machines, h)
	}
	var b strings.Builder
	if err := Terminal(&b, a, 300, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"999 machines from node-0000 to node-0999 (application, 16 cores)", "node-0500 (application, 32 cores)"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the text lacks %q", want)
		}
	}
	if strings.Contains(b.String(), "node-0007") {
		t.Error("the text names every machine")
	}
}
