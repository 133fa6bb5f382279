package report

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"plimsoll/internal/analysis"
	"plimsoll/internal/describe"
	"plimsoll/internal/report/tables"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/unit"
	"plimsoll/reference"
	"plimsoll/test/nightly"
	"plimsoll/test/quick"
)

// matrixRun is made-up work of files on two pools of six servers, by operation and
// size of the files, at four counts of workers.
func matrixRun() *result.Run {
	s := &study.Study{
		Name: "pools", Title: "Files on two pools", Question: "Which pool moves files fastest?", Application: study.Application{Workload: study.Workload{Name: "made-up-files"}},
		Ladder: study.Ladder{Of: study.OfUsers, Rungs: []int{12, 24, 48, 96}},
	}
	s.Prices = &study.Prices{Currency: "USD", Years: 3, Items: []study.PriceItem{
		{Name: "hard disks", Kind: "drive", Quantity: 72, Price: 250}, {Name: "servers", Kind: "server", Quantity: 6, Price: 9000},
		{Name: "RAID controllers", Kind: "controller", Quantity: 6, Price: 600, For: map[string]string{"storage": "replicated"}},
	}}
	run := &result.Run{ID: "pools", Plan: &plan.Plan{Study: s}}
	for _, pool := range []string{"replicated", "dispersed"} {
		for _, operation := range []string{"write", "read"} {
			for _, size := range []string{"32KB", "4MB", "128MB", "4GB"} {
				v := study.Variant{
					Name: pool + "-" + operation + "-" + size, StorageName: pool, Storages: map[string]study.Storage{pool: {Label: map[string]string{"dispersed": "disperse 4+2", "replicated": "replica 2"}[pool]}},
					Factors: map[string]string{"storage": pool, "workload.parameters.operation": operation, "workload.parameters.file_size": size},
				}
				run.Plan.Variants = append(run.Plan.Variants, v)
				for _, rung := range s.Ladder.Rungs {
					for repetition := 1; repetition <= 2; repetition++ {
						run.Trials = append(run.Trials, matrixTrial(v, rung, repetition))
					}
				}
			}
		}
	}
	return run
}

// matrixTrial saturates at a rate that the size of the files bounds; dispersed
// writes gain, and dispersed reads of small files lose.
func matrixTrial(v study.Variant, rung, repetition int) *result.Trial {
	size, _ := unit.ParseBytes(v.Factors["workload.parameters.file_size"])
	most := 3000e6 / (1 + 30e6/float64(size))
	if v.StorageName == "dispersed" {
		most *= map[string]float64{"write": 1.6, "read": 0.9}[v.Factors["workload.parameters.operation"]]
	}
	rate := most * float64(rung) / float64(rung+20) * (1 + 0.01*float64(repetition))
	start := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	t := &result.Trial{
		ID: fmt.Sprintf("%s/%d/%d", v.Name, rung, repetition), Variant: v, Rung: rung, Repetition: repetition, Status: result.Passed,
		Start: start, MeasureStart: start, MeasureEnd: start.Add(time.Minute),
		Part: result.Part{Profile: describe.Profile{Workload: "made-up-files", Unit: describe.Unit{Name: "file", Plural: "files", Throughput: "files/s", Seconds: 1}, Operations: []string{"file"}}, Operations: map[string]result.OperationSummary{"file": {
			Count: int64(rate * 60 / float64(size)), Bytes: int64(rate * 60), Mean: 0.02 * float64(rung) / 12, P50: 0.02, P95: 0.05, P99: 0.08, Max: 0.2,
		}}, Drivers: []result.DriverSummary{{Name: "driver-0", CPUUser: 10}}},
	}
	t.Storages = result.OnlyStorage(t.Variant, describe.Storage{Media: "hard disk", Text: v.StorageName, Durable: true, Drives: 72, Rated: 226e6})
	addMachines(t, rate, rate/most)
	return t
}

// addMachines samples six servers of twelve drives and four clients.
func addMachines(t *result.Trial, rate, busy float64) {
	on := func(machine, kind, name, metric string, v float64) {
		t.Resources = append(t.Resources, result.ResourceSummary{Machine: machine, Kind: kind, Name: name, Metric: metric, Mean: v, P95: v, Max: v})
	}
	write := t.Variant.Factors["workload.parameters.operation"] == "write"
	part := func(wanted bool) float64 {
		if wanted {
			return 1
		}
		return 0.03
	}
	host := func(name, role string, load, share float64) {
		t.Machines = append(t.Machines, result.Host{Name: name, Roles: []string{role}, Cores: 40, Memory: 64 << 30})
		on(name, "cpu", "", "utilisation", load)
		on(name, "cpu", "", "busy", load*40)
		on(name, "machine", "", "load", load*30)
		on(name, "machine", "", "blocked", 3*busy*float64(t.Rung)/24)
		on(name, "machine", "", "memory_utilisation", 0.2+0.3*busy)
		on(name, "network", "eth0", "receive_bytes", share*part(write == (role == result.StorageRole)))
		on(name, "network", "eth0", "send_bytes", share*part(write == (role == result.DriverRole)))
	}
	for i := range 6 {
		name := fmt.Sprintf("peer-%d", i+1)
		host(name, result.StorageRole, 0.3*busy, rate*1.5/6)
		for d := range 12 {
			disk := fmt.Sprintf("sd%d-%c", i+1, 'a'+d)
			t.Devices = append(t.Devices, describe.Device{Name: disk, Role: "brick", Owner: name, Actuators: 1})
			on(name, "device", disk, "read_bytes", rate/72*part(!write))
			on(name, "device", disk, "write_bytes", rate*1.5/72*part(write))
			on(name, "device", disk, "utilisation", busy)
			on(name, "device", disk, "reads", 100*part(!write))
			on(name, "device", disk, "writes", 100*part(write))
			on(name, "device", disk, "read_await", 0.008/(1.05-busy))
			on(name, "device", disk, "write_await", 0.011/(1.05-busy))
		}
	}
	for i := range 4 {
		host(fmt.Sprintf("client-%d", i+1), result.DriverRole, 0.2*busy, rate/4)
	}
}

func matrixFixture(t *testing.T) *analysis.Analysis {
	t.Helper()
	baseline, err := reference.Open("gluster-baseline")
	if err != nil {
		t.Fatal(err)
	}
	a, err := analysis.Analyse(matrixRun(), analysis.Options{Baseline: baseline})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// views are those in which every figure is looked at.
var views = viewsOf(1400)

// viewsOf are a desk of a width in px and a phone, light and dark. The first two differ in both
// ways; the others come each night.
func viewsOf(desk int64) []view {
	all := []view{{"desk", desk, 900, false}, {"phone-dark", 390, 844, true}, {"desk-dark", desk, 900, true}, {"phone", 390, 844, false}}
	return all[:nightly.Times(2, len(all))]
}

// overlapping lists the texts of a figure that lie on one another.
const overlapping = `[...document.querySelectorAll("figure svg")].flatMap(svg => {
	const texts = [...svg.querySelectorAll("text")].filter(x => !x.closest('.tip') && x.textContent.trim()).map(x => ({text: x.textContent, r: x.getBoundingClientRect()})).filter(x => x.r.width > 0);
	return texts.flatMap((a, i) => texts.slice(i + 1).filter(b =>
		Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left) > 2 && Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top) > 4,
	).map(b => (svg.closest("figure")?.id ?? "") + ": " + a.text + " | " + b.text));
})`

// The figures of a study with a matrix: throughput against the sizes, two pools
// side by side, and what the machines did.
func TestBrowserDrawsFactorsAndSaturation(t *testing.T) {
	ctx := startBrowser(t)
	path := filepath.Join(t.TempDir(), "matrix.html")
	writeReport(t, path, matrixFixture(t), nil)
	for _, v := range views {
		t.Run(v.Name, func(t *testing.T) {
			tab, cancel := chromedp.NewContext(ctx)
			defer cancel()
			open(t, tab, path, v)
			checkPage(t, tab, v)
			snapshot(t, tab, "matrix-"+v.Name)
			if texts := evaluate[[]string](t, tab, overlapping); len(texts) > 0 {
				t.Errorf("texts overlap: %q", texts)
			}
			for section, figures := range map[string]int{"factors": 2 + 8, "saturation": 10 + 6, "efficiency": 2} {
				if n := evaluate[int](t, tab, fmt.Sprintf(`document.querySelectorAll("#%s figure svg.bars, #%s figure .drawing > svg").length`, section, section)); n != figures {
					t.Errorf("%s has %d figures, want %d", section, n, figures)
				}
			}
			text := evaluate[string](t, tab, spoken)
			for _, want := range []string{"Throughput against file size: write", "32KB", "4GB", "disperse 4+2 against replica 2", "disperse 4+2 does 1.6 (1.57–1.63) times replica 2", "1.6×", "Storage servers", "Threads blocked on a device"} {
				if !strings.Contains(text, want) {
					t.Errorf("the page does not say %q", want)
				}
			}
		})
	}
}

// The units of a figure can be chosen: files a second, or MB/s.
func TestBrowserChangesTheUnitOfAFigure(t *testing.T) {
	ctx := startBrowser(t)
	path := filepath.Join(t.TempDir(), "matrix.html")
	writeReport(t, path, matrixFixture(t), nil)
	open(t, ctx, path, view{"desk", 1400, 900, false})
	described := func() string {
		return evaluate[string](t, ctx, `document.querySelector("#against-file-size-1 .drawing > svg").getAttribute("aria-description")`)
	}
	if text := described(); !strings.Contains(text, "files/s at 32KB") {
		t.Errorf("the figure says %q", text)
	}
	click(t, ctx, `#factors .controls .choice button:last-child`)
	if text := described(); !strings.Contains(text, "MB/s at 32KB") {
		t.Errorf("the figure says %q", text)
	}
}

// Throughput can be read as a share of what the maker says, or of a baseline.
func TestBrowserShowsFractions(t *testing.T) {
	ctx := startBrowser(t)
	path := filepath.Join(t.TempDir(), "matrix.html")
	writeReport(t, path, matrixFixture(t), nil)
	open(t, ctx, path, view{"desk", 1400, 900, false})
	for choice, want := range map[string]string{"of the maker’s figure": "disperse 4+2: 25 %.", "of gluster-baseline": "replica 2: 204 %."} {
		evaluate[bool](t, ctx, fmt.Sprintf(`(() => { const s = [...document.querySelectorAll("#efficiency .choice button")].find(b => b.textContent === %q); s.click(); return true; })()`, choice))
		if text := evaluate[string](t, ctx, `document.querySelector("#efficiency-1 svg desc").textContent`); !strings.Contains(text, want) {
			t.Errorf("%s: the figure says %q, want %q", choice, text, want)
		}
	}
	// the line that bars begin at is broken where the name of a group stands
	pieces := evaluate[[]int](t, ctx, `[..."text.axis-label|line[stroke='var(--muted)']".split("|")].map(s => document.querySelectorAll("#efficiency-1 svg.bars " + s).length)`)
	if pieces[0] < 2 || pieces[1] != pieces[0] {
		t.Errorf("%d groups of bars have lines in %d pieces", pieces[0], pieces[1])
	}
	snapshot(t, ctx, "fractions")
}

// A study without a matrix has none of these figures.
func TestBrowserLeavesOutFiguresWithNothingToShow(t *testing.T) {
	ctx := startBrowser(t)
	path := filepath.Join(t.TempDir(), "reference.html")
	writeReport(t, path, referenceFixture(), nil)
	open(t, ctx, path, view{"desk", 1400, 900, false})
	if found := evaluate[[]string](t, ctx, `["factors", "saturation", "efficiency"].filter(id => document.getElementById(id))`); len(found) > 0 {
		t.Errorf("sections %q are there", found)
	}
}

// Readers without a browser get the comparisons as tables.
func TestFactorsAsText(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	a := matrixFixture(t)
	var terminal, markdown, efficiency, machines strings.Builder
	if err := errors.Join(Terminal(&terminal, a, 130, false), Markdown(&markdown, a), tables.CSV(&efficiency, a, "efficiency"), tables.CSV(&machines, a, "machines")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{terminal.String(), "Throughput by storage, with its ratio to the first:"},
		{terminal.String(), "134 files/s, 1.6 (1.57–1.63)"},
		{terminal.String(), "per 1,000 USD"},
		{markdown.String(), "| 32KB, write | 96 | 83.9 files/s | 134 files/s, 1.6 (1.57–1.63) |"},
		{markdown.String(), "| replica 2, 32KB, write | 83.9 files/s | 96 | 72 | 1.17 | 0.017 % | 0.22 % | 1.11 | 0.960 |"},
		{efficiency.String(), "pools,replicated-write-32KB,96,true,files/s,83."},
		{machines.String(), "pools,replicated-write-32KB,12,servers,blocked,"},
	} {
		if !strings.Contains(c.text, c.want) {
			t.Errorf("%q is missing in\n%s", c.want, c.text)
		}
	}
	terminal.Reset()
	if err := Terminal(&terminal, liveFixture(), 100, false); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(terminal.String(), "By factor") {
		t.Error("a study without factors has tables of them")
	}
}
