package resource

import (
	"cmp"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// device is a block device behind the storage class. The kernel counts a
// device busy while any request is in flight; one that serves several at once
// is only as busy as its requests in flight over those that it can serve.
func device(h trial.Host, name string, t *result.Trial) (Resource, bool) {
	busy, ok := h.Mean(describe.DeviceKind, name, "utilisation")
	d := deviceOn(h, t, name)
	if !ok || d == nil {
		return Resource{}, false
	}
	r := Resource{Kind: Device, Device: d.Name, Utilisation: busy, Busy: busy, Servers: float64(max(d.Actuators, 1)), Assumed: d.Assumed}.named(h.Of(deviceName(d, t)))
	if queue, ok := h.Mean(describe.DeviceKind, name, "queue"); ok {
		r.Queue = queue
		r.Utilisation = min(busy, queue/r.Servers)
		moved, rate := movedShare(h.Metrics, d)
		if moved = min(busy, moved); r.Servers > 1 && moved > r.Utilisation {
			r.Utilisation, r.ByRate = moved, true
		}
		if moved >= Saturated {
			r.AtRate = rate
		}
		r.Await = stats.Ratio(queue, requestsOf(h.Metrics, name)) // Little's law
	}
	return r, true
}

// deviceOn returns a device as described by the storage class. A class that does not know
// its devices, such as an existing cluster, counts the devices of every machine.
func deviceOn(h trial.Host, t *result.Trial, name string) *describe.Device {
	if d := deviceNamed(t.Devices, name); d != nil || h.Name == "" || len(t.Devices) > 0 {
		return d
	}
	return &describe.Device{Name: name, Actuators: 1, Assumed: "nothing says how many"}
}

// movedShare is the share of what a device moves at most: one large request keeps all
// drives of a RAID set busy. Reads and writes may go on at once, and the larger share counts;
// rate says which of them has it.
func movedShare(m trial.Metrics, d *describe.Device) (share float64, rate string) {
	read, _ := m.Mean(describe.DeviceKind, d.Name, "read_bytes")
	written, _ := m.Mean(describe.DeviceKind, d.Name, "write_bytes")
	ofReads, ofWrites := stats.Ratio(read, d.ReadRate), stats.Ratio(written, d.WriteRate)
	if ofWrites > ofReads {
		return ofWrites, describe.Writes
	}
	return ofReads, describe.Reads
}

// Requests are what the devices that volumes lie on completed in a second, all together.
type Requests struct {
	Reads        float64 `json:"reads"`         // requests
	Writes       float64 `json:"writes"`        // requests
	ReadBytes    float64 `json:"read_bytes"`    // bytes
	WrittenBytes float64 `json:"written_bytes"` // bytes
}

// WriteShare is how many of the requests were writes, and WrittenShare how many of the bytes; 0
// where there were none.
func (r Requests) WriteShare() float64 { return stats.Ratio(r.Writes, r.Reads+r.Writes) }

// WrittenShare is as WriteShare has it.
func (r Requests) WrittenShare() float64 {
	return stats.Ratio(r.WrittenBytes, r.ReadBytes+r.WrittenBytes)
}

// RequestsOf gives the median over some trials; nil where in one of them nothing was asked of a
// device that volumes are known to lie on, or this was not measured.
func RequestsOf(e *trust.Evidence, passed []*result.Trial) *Requests {
	var reads, writes, read, written []float64
	for _, t := range passed {
		r := requestsIn(e, t)
		if r.Reads+r.Writes <= 0 {
			return nil
		}
		reads, writes = append(reads, r.Reads), append(writes, r.Writes)
		read, written = append(read, r.ReadBytes), append(written, r.WrittenBytes)
	}
	if len(reads) == 0 {
		return nil
	}
	return &Requests{Reads: stats.MedianOf(reads), Writes: stats.MedianOf(writes), ReadBytes: stats.MedianOf(read), WrittenBytes: stats.MedianOf(written)}
}

func requestsIn(e *trust.Evidence, t *result.Trial) (all Requests) {
	for _, h := range trial.MetricsOf(t).Hosts(t, e.Cores) {
		for _, name := range h.Names(describe.DeviceKind) {
			if deviceNamed(t.Devices, name) == nil {
				continue
			}
			of := func(metric string) float64 {
				v, _ := h.Mean(describe.DeviceKind, name, metric)
				return max(0, stats.Finite(v))
			}
			all.Reads, all.Writes = all.Reads+of("reads"), all.Writes+of("writes")
			all.ReadBytes, all.WrittenBytes = all.ReadBytes+of("read_bytes"), all.WrittenBytes+of("write_bytes")
		}
	}
	return all
}

// requestsOf is what a device completes a second.
func requestsOf(m trial.Metrics, name string) float64 {
	reads, _ := m.Mean(describe.DeviceKind, name, "reads")
	writes, _ := m.Mean(describe.DeviceKind, name, "writes")
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

func deviceName(d *describe.Device, t *result.Trial) trial.Label {
	name := "disk " + d.Name
	if len(t.Devices) == 0 {
		return trial.Called(name) // whether volumes lie on it nobody knows
	}
	if d.Owner != "" {
		name += " of " + d.Owner
	}
	return trial.Label{Name: name, Bracket: cmp.Or(d.Media, t.Storage().Media, t.Variant.StorageName)}
}
