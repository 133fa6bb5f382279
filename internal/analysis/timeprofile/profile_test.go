package timeprofile

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// trial is one of a minute with 10 units of work a second that took 0.4 s each, so that 4 were under
// way, with samples: kind, name, metric, mean.
type sample struct {
	kind, name, metric string
	mean               float64
}

func trialOf(servers []result.Server, samples ...sample) *result.Trial {
	begin := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	t := &result.Trial{
		MeasureStart: begin, MeasureEnd: begin.Add(time.Minute), Part: result.Part{Servers: servers, Profile: describe.Profile{Operations: []string{"item"}}, Operations: map[string]result.OperationSummary{"item": {Count: 600, Mean: 0.4}}, Drivers: []result.DriverSummary{{Name: "driver-0"}}}, Rung: 1,

		Devices: []describe.Device{{Name: "vda", Actuators: 1}},
	}
	for _, s := range samples {
		t.Resources = append(t.Resources, result.ResourceSummary{Kind: s.kind, Name: s.name, Metric: s.metric, Mean: s.mean, Max: s.mean})
	}
	return t
}

var (
	db  = []result.Server{{Role: "db", Count: 1}}
	two = []result.Server{{Role: "app", Count: 1}, {Role: "db", Count: 1}}
)

func TestPartsOfAResponseTime(t *testing.T) {
	disk := []sample{{"device", "vda", "utilisation", 0.8}, {"device", "vda", "queue", 3}}
	type part struct {
		role      string
		component describe.Component
	}
	for name, c := range map[string]struct {
		servers []result.Server
		samples []sample
		want    map[part]float64 // s
	}{
		"a server": {db, append(disk,
			sample{"time", "db-000", "running", 1}, sample{"time", "db-000", "device_wait", 2}, sample{"time", "driver-0", "running", 0.5}, sample{"time", "driver-0", "device_wait", 3}),
			map[part]float64{{"db", describe.Running}: 0.1, {"db", describe.DeviceWait}: 0.2, {Driver, describe.Running}: 0.05}},
		"instances add up": {db, []sample{{"time", "db-000", "lock_wait", 1}, {"time", "db-001", "lock_wait", 2}, {"instance", "db-000", "cpu", 1}, {"instance", "db-001", "cpu", 1}},
			map[part]float64{{"db", describe.LockWait}: 0.3}},
		"one of two instances was not counted": {db, []sample{{"time", "db-000", "lock_wait", 1}, {"instance", "db-000", "cpu", 1}, {"instance", "db-001", "cpu", 1}}, nil},
		"a caller is not counted twice": {two, []sample{{"time", "app-000", "peer_wait", 3}, {"time", "app-000", "running", 1}, {"time", "db-000", "device_wait", 2.5}},
			map[part]float64{{"app", describe.Running}: 0.1, {"db", describe.DeviceWait}: 0.25}},
		"a caller of one that was not counted": {two, []sample{{"time", "app-000", "peer_wait", 3}, {"time", "app-000", "running", 1}},
			map[part]float64{{"app", describe.Running}: 0.1, {"app", describe.PeerWait}: 0.3}},
		"the application is the driver": {nil, append(disk, sample{"time", "driver-0", "running", 2}),
			map[part]float64{{Driver, describe.Running}: 0.2, {"", describe.DeviceWait}: 0.2}}, // of the queue of 3, as much as there is time for
		"servers of the storage": {nil, append(disk, sample{"node", "peer1", "cpu", 0.1}, sample{"time", "peer1", "quota_wait", 5}, sample{"time", "driver-0", "running", 0.8}),
			map[part]float64{{Driver, describe.Running}: 0.08, {Storage, describe.QuotaWait}: 0.2, {"", describe.DeviceWait}: 0.12}}, // 3.2 in proportion 5 to 3
		"servers of the storage that are held back, and in which requests queue": {db, []sample{
			{"time", "db-000", "device_wait", 3}, {"node", "peer1", "cpu", 0.1}, {"node", "peer2", "cpu", 0.1}, {"device", "vda", "utilisation", 0.1}, {"device", "vda", "queue", 0.2},
			{"time", "peer1", "quota_wait", 0.95}, {"time", "peer1", "running", 0.05}, {"time", "peer2", "quota_wait", 0.95}, {"time", "peer2", "running", 0.05}},
			map[part]float64{{"db", describe.DeviceWait}: 0.02, {Storage, describe.QuotaWait}: 0.28 * 0.95, {Storage, describe.Running}: 0.28 * 0.05}},
		"… and that wait for their own disk for half of that time": {db, []sample{
			{"time", "db-000", "device_wait", 3}, {"node", "peer1", "cpu", 0.1}, {"device", "vda", "utilisation", 0.1}, {"device", "vda", "queue", 0.2},
			{"time", "peer1", "quota_wait", 0.5}, {"time", "peer1", "device_wait", 0.5}},
			map[part]float64{{"db", describe.DeviceWait}: 0.15, {Storage, describe.QuotaWait}: 0.15}},
		"servers of the storage that are idle for most of the time": {db, []sample{
			{"time", "db-000", "device_wait", 3}, {"node", "peer1", "cpu", 0.1}, {"device", "vda", "utilisation", 0.1}, {"device", "vda", "queue", 0.1}, {"time", "peer1", "quota_wait", 0.05}, {"time", "peer1", "running", 0.05}},
			map[part]float64{{"db", describe.DeviceWait}: 0.262, {Storage, describe.QuotaWait}: 0.019, {Storage, describe.Running}: 0.019}}, // at work in a tenth of it
		"threads of the driver that are ready for nothing": {db, []sample{{"time", "db-000", "running", 1}, {"time", "db-000", "lock_wait", 2}, {"time", "driver-0", "running", 0.5}, {"time", "driver-0", "cpu_wait", 1.5}},
			map[part]float64{{"db", describe.Running}: 0.1, {"db", describe.LockWait}: 0.2, {Driver, describe.Running}: 0.05, {Driver, describe.CPUWait}: 0.05}},
		"threads of the driver that are ready for units of work": {db, []sample{{"time", "db-000", "running", 1}, {"time", "db-000", "lock_wait", 0.5}, {"time", "driver-0", "running", 0.5}, {"time", "driver-0", "cpu_wait", 1.5}},
			map[part]float64{{"db", describe.Running}: 0.1, {"db", describe.LockWait}: 0.05, {Driver, describe.Running}: 0.05, {Driver, describe.CPUWait}: 0.15}},
		"nothing but the queue of a disk": {db, disk, map[part]float64{{"", describe.DeviceWait}: 0.3}},
		"nothing":                         {db, nil, nil},
	} {
		p := Of(&trust.Evidence{}, []*result.Trial{trialOf(c.servers, c.samples...)})
		if p == nil {
			if c.want != nil {
				t.Errorf("%s: no profile", name)
			}
			continue
		}
		got := map[part]float64{}
		for _, one := range p.Parts {
			if one.Seconds.Value > 0 {
				got[part{one.Role, one.Component}] = one.Seconds.Value
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %+v, want %+v", name, p.Parts, c.want)
		}
		for k, v := range c.want {
			if math.Abs(got[k]-v) > 1e-9 {
				t.Errorf("%s: %v of %+v, want %v", name, got[k], k, v)
			}
		}
	}
}

func TestNamedWaitsAndDevices(t *testing.T) {
	p := Of(&trust.Evidence{}, []*result.Trial{trialOf(db,
		sample{"time", "db-000", "device_wait", 2}, sample{"wait", "db-000/read", "device_wait", 0.5}, sample{"wait", "db-000/flush/log", "device_wait", 1.5}, sample{"wait", "elsewhere/x", "device_wait", 1},
		sample{"device", "vda", "utilisation", 0.8}, sample{"device", "vda", "queue", 3})})
	part := p.Parts[0]
	if part.Resource != "disk vda" || len(part.Waits) != 2 || part.Waits[0].Name != "flush/log" || math.Abs(part.Waits[0].Seconds.Value-0.15) > 1e-9 {
		t.Errorf("%+v", part)
	}
	if !p.Counted || math.Abs(p.Accounted.Value-0.5) > 1e-9 {
		t.Errorf("%+v", p)
	}
	if name := mostQueued(map[string]float64{"disk a": 1, "disk b": 1}); name != "" {
		t.Errorf("%s stands for two alike", name)
	}
}

// profileAt is a profile of repetitions that took as long, with the shares of one role's components.
func profileAt(seconds float64, shares map[describe.Component][]float64) *Breakdown {
	var responses []float64
	for _, s := range shares {
		responses = slices.Repeat([]float64{seconds}, len(s))
	}
	return profileOf(responses, shares)
}

// profileOf is a profile of repetitions that took so long.
func profileOf(responses []float64, shares map[describe.Component][]float64) *Breakdown {
	p := &Breakdown{Response: stats.MedianOf(responses), Counted: true, shares: map[group][]float64{}, responses: responses}
	for c, s := range shares {
		p.shares[group{"db", c}] = s
	}
	p.setParts("disk vda")
	return p
}

func TestCausesOfGrowth(t *testing.T) {
	for name, c := range map[string]struct {
		before, after *Breakdown
		causes        int
		first         describe.Component
	}{
		"one": {
			profileAt(0.1, map[describe.Component][]float64{describe.DeviceWait: {0.3, 0.31}, describe.Running: {0.6, 0.61}}),
			profileAt(0.5, map[describe.Component][]float64{describe.DeviceWait: {0.8, 0.82}, describe.Running: {0.13, 0.12}}), 1, describe.DeviceWait},
		"two": {
			profileAt(0.1, map[describe.Component][]float64{describe.DeviceWait: {0.3, 0.31}, describe.LockWait: {0.1, 0.11}}),
			profileAt(0.5, map[describe.Component][]float64{describe.DeviceWait: {0.5, 0.51}, describe.LockWait: {0.4, 0.41}}), 2, describe.DeviceWait},
		"most of it is unexplained": {
			profileAt(0.1, map[describe.Component][]float64{describe.DeviceWait: {0.3, 0.31}}),
			profileAt(0.5, map[describe.Component][]float64{describe.DeviceWait: {0.4, 0.41}}), 0, describe.DeviceWait},
		"what seems to differ may be chance": {
			profileAt(0.1, map[describe.Component][]float64{describe.DeviceWait: {0.3, 0.1}}),
			profileAt(0.5, map[describe.Component][]float64{describe.DeviceWait: {0.8, 0.3}}), 0, describe.DeviceWait},
		"once, clearly": {
			profileAt(0.1, map[describe.Component][]float64{describe.DeviceWait: {0.3}}),
			profileAt(0.5, map[describe.Component][]float64{describe.DeviceWait: {0.9}}), 1, describe.DeviceWait},
		"once, hardly": {
			profileAt(0.1, map[describe.Component][]float64{describe.DeviceWait: {0.4}}),
			profileAt(0.5, map[describe.Component][]float64{describe.DeviceWait: {0.53}}), 0, describe.DeviceWait},
		"more than the response time is counted": {
			profileAt(0.1, map[describe.Component][]float64{describe.DeviceWait: {0.4, 0.41}}),
			profileAt(0.5, map[describe.Component][]float64{describe.DeviceWait: {1.5, 1.51}}), 0, describe.DeviceWait},
	} {
		a := Attribute([]Step{{1, c.before}, {4, c.after}}, 1, 4)
		if a == nil || a.Causes != c.causes || a.Growth[0].Component != c.first {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func TestWhatIsNotAttributed(t *testing.T) {
	small := profileAt(0.1, map[describe.Component][]float64{describe.DeviceWait: {0.3, 0.31}})
	same := profileAt(0.11, map[describe.Component][]float64{describe.DeviceWait: {0.3, 0.31}})
	uncounted := profileAt(0.5, map[describe.Component][]float64{describe.DeviceWait: {0.9, 0.91}})
	uncounted.Counted = false
	for name, after := range map[string]*Breakdown{"hardly any growth": same, "another sort of profile": uncounted, "no profile": nil} {
		if a := Attribute([]Step{{1, small}, {4, after}}, 1, 4); a != nil {
			t.Errorf("%s: %+v", name, a)
		}
	}
	whole := Attribute([]Step{{1, profileAt(0.5, map[describe.Component][]float64{describe.DeviceWait: {0.9, 0.91}})}}, 0, 1)
	if whole == nil || whole.Causes != 1 || whole.Before != 0 {
		t.Errorf("%+v", whole)
	}
}

// Where repetitions do not show that the response time grew, the whole of it shows what any growth is
// due to, unless that has a smaller share of it than before.
func TestTheWholeShowsWhatGrowthDoesNot(t *testing.T) {
	noisy := []float64{0.03, 0.2}
	for name, c := range map[string]struct {
		before, after map[describe.Component][]float64
		causes        int
	}{
		"its share rose": {
			map[describe.Component][]float64{describe.DeviceWait: {0.7, 0.72}, describe.Running: {0.2, 0.21}},
			map[describe.Component][]float64{describe.DeviceWait: {0.9, 0.91}, describe.Running: {0.06, 0.05}}, 1},
		"its share fell: something else grew": {
			map[describe.Component][]float64{describe.DeviceWait: {0.95, 0.96}, describe.LockWait: {0, 0}},
			map[describe.Component][]float64{describe.DeviceWait: {0.6, 0.61}, describe.LockWait: {0.35, 0.34}}, 0},
		"its share rose, and what is unexplained did by more": {
			map[describe.Component][]float64{describe.DeviceWait: {0.55, 0.56}, describe.Running: {0.44, 0.43}},
			map[describe.Component][]float64{describe.DeviceWait: {0.6, 0.61}, describe.Running: {0.05, 0.04}}, 0},
		"two": {
			map[describe.Component][]float64{describe.DeviceWait: {0.4, 0.41}, describe.LockWait: {0.3, 0.31}, describe.Running: {0.25, 0.24}},
			map[describe.Component][]float64{describe.DeviceWait: {0.5, 0.51}, describe.LockWait: {0.4, 0.41}, describe.Running: {0.06, 0.05}}, 2},
		"no part stands out": {
			map[describe.Component][]float64{describe.DeviceWait: {0.3, 0.31}, describe.LockWait: {0.3, 0.31}, describe.CPUWait: {0.3, 0.31}},
			map[describe.Component][]float64{describe.DeviceWait: {0.33, 0.34}, describe.LockWait: {0.33, 0.34}, describe.CPUWait: {0.32, 0.31}}, 0},
	} {
		steps := []Step{{1, profileOf(noisy, c.before)}, {3, profileOf([]float64{0.05, 0.3}, c.after)}}
		if a := Attribute(steps, 1, 3); a != nil {
			t.Fatalf("%s: the growth is shown: %+v", name, a)
		}
		if a := Compose(steps, 1, 3); a == nil || a.Causes != c.causes || a.From != 0 || a.Before != 0 || a.After != 0.175 {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if a := Compose([]Step{{1, nil}, {3, profileOf(noisy, nil)}}, 1, 3); a != nil {
		t.Errorf("nothing is known of the smaller rung: %+v", a)
	}
}

// Response times that do not grow are said to in at most 5 % of the cases; where the noise of rungs
// differs by more than three times, in one or two more of a hundred.
func TestGrowthThatIsNoneIsNotShown(t *testing.T) {
	for _, noise := range []float64{0.01, 0.1, 0.2, 0.4} {
		for _, growing := range []float64{1, 1.5} {
			for _, rungs := range []int{2, 4} {
				shown := analysistest.Share(analysistest.Sets, func(seed uint64) bool {
					random := rand.New(rand.NewPCG(seed, 77))
					l := ladder{last: rungs - 1}
					for i := range rungs {
						var responses []float64
						for range 2 {
							responses = append(responses, 0.1*math.Exp(noise*math.Pow(growing, float64(i))*random.NormFloat64()))
						}
						l.profiles = append(l.profiles, profileOf(responses, nil))
					}
					return l.grew()
				})
				if shown > 0.07 || growing == 1 && shown > 0.05 {
					t.Errorf("noise %v growing %v times, %d rungs: %v of the sets are said to grow", noise, growing, rungs, shown)
				}
			}
		}
	}
}

// A second component that may matter leaves it open; one that does not, or that is shown to, does not.
func TestWhatALargerGrowthMayShow(t *testing.T) {
	of := func(causes int, shares ...float64) *Attribution {
		a := &Attribution{Causes: causes}
		for _, s := range shares {
			a.Growth = append(a.Growth, Growth{Share: stats.Exactly(s)})
		}
		return a
	}
	for _, c := range []struct {
		a    *Attribution
		open bool
	}{{nil, true}, {of(0, 0.4, 0.1), true}, {of(1, 0.6, 0.3), true}, {of(1, 0.8, 0.1), false}, {of(1, 0.8), false}, {of(2, 0.5, 0.4), false}} {
		if c.a.Open() != c.open {
			t.Errorf("%+v: open %t", c.a, !c.open)
		}
	}
}
