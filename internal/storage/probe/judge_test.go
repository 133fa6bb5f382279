package probe

import (
	"strings"
	"testing"

	"plimsoll/internal/host/mounts"
)

// flat makes an outcome whose latencies are all alike.
func flat(seconds float64) outcome {
	return outcome{Measure: Measure{
		Operations: 1000, Seconds: 1000 * seconds, PerSecond: 1 / seconds, Rate: large / seconds,
		Mean: seconds, P50: seconds, P95: seconds, P99: seconds, Max: seconds,
	}}
}

// flashFacts are the facts of a good flash drive.
func flashFacts() facts {
	return facts{
		mount: mounts.Mount{Type: "xfs", Point: "/data", Options: []string{"rw", "noatime"}}, direct: true, size: 1 << 30, memory: 8 << 30,
		devices: []Device{{Name: "nvme0n1", WriteCache: "write back"}}, drain: 0.01,
		measures: map[string]outcome{
			readAlone: flat(90e-6), readAgain: flat(90e-6), readDeep: flat(4e-6), readStream: flat(500e-6),
			writeAlone: flat(20e-6), writeDeep: flat(10e-6), flushAlone: flat(60e-6), dsyncAlone: flat(60e-6),
			fillStream: flat(1e-3), writeNew: flat(25e-6), readHole: flat(20e-6), readBuffered: flat(1e-6),
		},
	}
}

func diskFacts() facts {
	f := flashFacts()
	f.devices = []Device{{Name: "sda", Rotates: true, WriteCache: "write back"}}
	f.measures[readAlone], f.measures[readAgain] = flat(12e-3), flat(12e-3)
	f.measures[readDeep] = flat(5e-3)
	f.measures[flushAlone] = flat(9e-3)
	f.drain = 3
	return f
}

func TestJudge(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*facts)
		start  func() facts
		key    string
		grade  string
		says   string
	}{
		"good flash":        {nil, flashFacts, "flush", "A", "fits what the medium"},
		"commit":            {nil, flashFacts, "commit", "A", "17,000 times"},
		"disk that flushes": {nil, diskFacts, "flush", "A", "fits what the medium"},
		"processors are the limit": {func(f *facts) {
			f.measures[readDeep] = flat(80e-6)
			busy := f.measures[readDeep]
			busy.Threads, busy.CPU, busy.MachineBusy = 1, 0.4, 0.97
			f.measures[readDeep] = busy
		}, flashFacts, "parallel", "", "processors of this machine were the limit"},
		"own threads are the limit": {func(f *facts) {
			busy := f.measures[readStream]
			busy.Threads, busy.CPU, busy.MachineBusy = 1, 0.95, 0.5
			f.measures[readStream] = busy
		}, flashFacts, "stream", "A", "processors of this machine were the limit"},
		"medium is the limit": {func(f *facts) { f.measures[readDeep] = flat(80e-6) }, flashFacts, "parallel", "B", "one request at a time"},
		"slow commits":        {nil, diskFacts, "commit", "C", "110 times"},
		"backlog":             {nil, diskFacts, "backlog", "D", "3 s"},
		"lying disk":          {func(f *facts) { f.measures[flushAlone] = flat(100e-6) }, diskFacts, "flush", "F", "cannot have reached"},
		"vouched for":         {func(f *facts) { f.measures[flushAlone] = flat(100e-6); f.protected = true }, diskFacts, "flush", "A", "the protected cache that you declared"},
		"disk in secret":      {func(f *facts) { f.devices = nil; f.measures[flushAlone] = flat(100e-6) }, diskFacts, "flush", "F", "cannot have reached"},
		// A disk without a write cache: the write itself takes the time.
		"written through": {func(f *facts) { f.measures[writeAlone] = flat(9e-3) }, diskFacts, "flush", "A", "fits what"},
		"swallowed":       {func(f *facts) { f.measures[flushAlone] = f.measures[writeAlone] }, flashFacts, "flush", "D", "may not reach"},
		"no volatile cache": {func(f *facts) {
			f.measures[flushAlone] = f.measures[writeAlone]
			f.devices[0].WriteCache = "write through"
		}, flashFacts, "flush", "A", "fits what"},
		"virtual disk": {func(f *facts) { f.devices[0].Rotates = true }, flashFacts, "flush", "A", "fits what"},
		"surprise":     {func(f *facts) { f.devices[0].Rotates = true }, flashFacts, "medium", "", "like flash"},
		"memory":       {func(f *facts) { f.mount.Type = "tmpfs" }, flashFacts, "flush", "F", "power cut"},
		"nobarrier":    {func(f *facts) { f.mount.Options = []string{"nobarrier"} }, flashFacts, "mount-options", "F", "Some mount options weaken durability"},
		"sync":         {func(f *facts) { f.mount.Options = []string{"rw", "sync"} }, flashFacts, "mount-options", "C", "Some mount options weaken durability"},
		"options":      {nil, flashFacts, "mount-options", "A", "No mount option weakens durability"},
		"overlay":      {func(f *facts) { f.mount.Type = "overlay" }, flashFacts, "file-system", "C", "container"},
		"remote":       {func(f *facts) { f.mount.Type = "fuse.glusterfs" }, flashFacts, "file-system", "B", "fuse.glusterfs"},
		"cache below":  {func(f *facts) { f.measures[readAgain] = flat(100e-6) }, diskFacts, "cache-below", "C", "cache below"},
		"one arm":      {nil, diskFacts, "parallel", "D", "2.4 times"},
		"no flushes":   {func(f *facts) { delete(f.measures, flushAlone) }, flashFacts, "flush", "", "No flush"},
		"thin":         {func(f *facts) { f.measures[writeNew] = flat(200e-6) }, flashFacts, "allocation", "C", "10.0 times"},
		"uneven": {func(f *facts) {
			m := flat(90e-6)
			m.P99 = 90e-3
			f.measures[readAlone] = m
		}, flashFacts, "stability", "F", "1000.0 times"},
		"cliff": {func(f *facts) {
			m := flat(1e-3)
			for i := range 40 {
				m.rates = append(m.rates, map[bool]float64{true: 2e9, false: 3e8}[i < 15])
			}
			f.measures[fillStream] = m
		}, flashFacts, "cliff", "D", "falls to 300 MB/s"},
	} {
		t.Run(name, func(t *testing.T) {
			f := c.start()
			if c.change != nil {
				c.change(&f)
			}
			for _, found := range judge(f) {
				if found.Key != c.key {
					continue
				}
				if found.Grade != c.grade || !strings.Contains(found.Title+" "+found.Text, c.says) {
					t.Errorf("%s %s %s", found.Grade, found.Title, found.Text)
				}
				return
			}
			t.Errorf("there is no finding on %s", c.key)
		})
	}
}

// A probe that measured nothing draws no conclusion that would mislead, and
// does not fall over.
func TestJudgeNothing(t *testing.T) {
	f := flashFacts()
	f.measures = map[string]outcome{}
	for _, found := range judge(f) {
		if strings.Contains(found.Title, "NaN") || strings.Contains(found.Title, "Inf") {
			t.Errorf("%s", found.Title)
		}
	}
}

func TestCount(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{count(3), "3"}, {count(117), "120"}, {count(12345), "12,000"}, {count(1234567), "1,200,000"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}
