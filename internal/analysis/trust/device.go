package trust

import (
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// doubtDevices: a device that is hardly ever busy cannot have many requests in flight,
// but in rare and large bursts, or where the kernel's busy time is wrong.
func doubtDevices(_ *Evidence, _ *result.Trial, h trial.Host) (all []Warning) {
	for _, name := range h.Names(describe.DeviceKind) {
		busy, _ := h.Mean(describe.DeviceKind, name, "utilisation")
		queue, _ := h.Mean(describe.DeviceKind, name, "queue")
		if trial.Contradict(busy, queue) {
			all = append(all, warn(Device, Caution, DeviceContradiction,
				Name(h.Of(trial.Called("device "+name)).String()), Share(busy), Number(queue), Number(queue/max(busy, 0.001)))...)
		}
	}
	return all
}
