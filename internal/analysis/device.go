package analysis

import (
	"cmp"
	"fmt"
	"math"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/words"
)

// device is a block device behind the storage class. The kernel counts a
// device busy while any request is in flight; one that serves several at once
// is only as busy as its requests in flight over those that it can serve.
func device(h trial.Host, name string, t *result.Trial) (Resource, bool) {
	busy, ok := h.Mean("device", name, "utilisation")
	d := deviceOn(h, t, name)
	if !ok || d == nil {
		return Resource{}, false
	}
	r := Resource{Name: h.Of(deviceName(d, t)), Kind: "device", Utilisation: busy, Busy: busy, Servers: float64(max(d.Actuators, 1)), Assumed: d.Assumed}
	if queue, ok := h.Mean("device", name, "queue"); ok {
		r.Queue = queue
		r.Utilisation = min(busy, queue/r.Servers)
		if moved := min(busy, movedShare(h.Metrics, d)); r.Servers > 1 && moved > r.Utilisation {
			r.Utilisation, r.ByRate = moved, true
		}
		r.Await = stats.Ratio(queue, requestsOf(h.Metrics, name)) // Little's law
	}
	return r, true
}

// deviceOn is a device as the storage class describes it. Where the class does not
// know its devices, as on an existing cluster, those of every machine count.
func deviceOn(h trial.Host, t *result.Trial, name string) *describe.Device {
	if d := deviceNamed(t.Devices, name); d != nil || h.Name == "" || len(t.Devices) > 0 {
		return d
	}
	return &describe.Device{Name: name, Actuators: 1, Assumed: "nothing says how many"}
}

// movedShare is the share of what a device moves at most: one large request keeps all
// drives of a RAID set busy. Reads and writes may go on at once.
func movedShare(m trial.Metrics, d *describe.Device) float64 {
	read, _ := m.Mean("device", d.Name, "read_bytes")
	written, _ := m.Mean("device", d.Name, "write_bytes")
	return max(stats.Ratio(read, d.ReadRate), stats.Ratio(written, d.WriteRate))
}

// requestsOf is what a device completes a second.
func requestsOf(m trial.Metrics, name string) float64 {
	reads, _ := m.Mean("device", name, "reads")
	writes, _ := m.Mean("device", name, "writes")
	return reads + writes
}

func deviceNamed(devices []describe.Device, name string) *describe.Device {
	for i := range devices {
		if devices[i].Name == name {
			return &devices[i]
		}
	}
	return nil
}

func deviceName(d *describe.Device, t *result.Trial) string {
	if len(t.Devices) == 0 {
		return "disk " + d.Name // whether volumes lie on it nobody knows
	}
	media := cmp.Or(d.Media, t.Storage.Media, t.Variant.StorageName)
	name := "disk " + d.Name
	if d.Owner != "" {
		name += " of " + d.Owner
	}
	return fmt.Sprintf("%s (%s)", name, media)
}

// waits is how many times as long as at its best a request takes, from which
// requests are said to wait for each other: a single server at 50 % answers twice
// as slowly as when idle.
const waits = 2

// settleDevices holds what is assumed of devices against the times of their
// requests at the rungs. Requests that take longer the more there are wait for
// each other: as many as take the shortest time are served at once (Little's
// law). Those that do not wait tell nothing of how many could be served, so a
// device that is busy only by assumption is uncertain.
func settleDevices(rungs []Rung) {
	best := map[string]Resource{} // where a request took least
	for _, r := range rungs {
		for _, d := range r.Resources {
			if b, known := best[d.Name]; d.Assumed != "" && d.Await > 0 && (!known || d.Await < b.Await) {
				best[d.Name] = d
			}
		}
	}
	for i := range rungs {
		for j := range rungs[i].Resources {
			switch d := &rungs[i].Resources[j]; {
			case d.contradicts():
				d.Uncertain = true
				d.Evidence = fmt.Sprintf("The kernel shows it busy %s of the time with %s requests in flight on average, which contradict each other.", words.Percent(d.Busy), words.Figures(d.Queue))
			case d.Assumed != "":
				d.settle(best[d.Name])
			}
		}
	}
}

// contradicts says that what the kernel counts of a device cannot all be true.
func (r *Resource) contradicts() bool {
	return r.Kind == "device" && trial.Contradict(r.Busy, r.Queue)
}

// settle judges a device at a rung by where its requests took least.
func (r *Resource) settle(best Resource) {
	if best.Await <= 0 || r.Await <= 0 {
		r.Uncertain = r.Utilisation >= saturated
		r.Evidence = r.assumption() + "; its request times were not recorded."
		return
	}
	growth := r.Await / best.Await
	if growth < waits {
		r.Uncertain = r.Utilisation >= saturated
		r.Evidence = fmt.Sprintf("%s. With %s in flight a request took %s, and with %s it took %s: requests hardly wait for each other, so the device's parallelism is unknown.",
			r.assumption(), words.Figures(r.Queue), words.Seconds(r.Await), words.Figures(best.Queue), words.Seconds(best.Await))
		return
	}
	width := r.Queue / growth
	r.Evidence = fmt.Sprintf("%s; but with %s requests in flight each took %s, and %s with %s: it serves about %s in parallel and queues the rest.",
		r.assumption(), words.Figures(r.Queue), words.Seconds(r.Await), words.Seconds(best.Await), words.Figures(best.Queue), words.Figures(max(1, math.Round(width))))
	if math.Abs(math.Log(max(width, 1)/r.Servers)) < math.Log(1.5) {
		r.Evidence = fmt.Sprintf("%s, and the request times confirm it: a request took %s with %s in flight and %s with %s.",
			r.assumption(), words.Seconds(r.Await), words.Figures(r.Queue), words.Seconds(best.Await), words.Figures(best.Queue))
		return
	}
	before := r.Utilisation * r.Servers
	r.Servers = max(1, math.Round(width))
	r.Utilisation = min(r.Busy, r.Queue/r.Servers)
	r.Demand *= stats.Ratio(r.Utilisation*r.Servers, before) // D = U*m/X
}

// assumption says what is taken for granted.
func (r *Resource) assumption() string {
	return fmt.Sprintf("It is assumed to serve %s in parallel (%s)", words.Count(int(r.Servers), "request"), r.Assumed)
}

// measureWidth says how to replace the assumption by a fact.
const measureWidth = "Measure how many requests it serves in parallel: run `plimsoll probe` on its path, take the ratio of its rate with 32 reads in flight to its rate with one, and set that as the storage's `width` in the study."
