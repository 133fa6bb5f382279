package resource

import "testing"

// A device that is busy a tenth of the time cannot have 20 requests in flight.
func TestDevicesThatContradictThemselves(t *testing.T) {
	devices := []Resource{
		{Name: "disk sdb (hdd)", Kind: Device, Busy: 0.1, Utilisation: 0.1, Queue: 20, Servers: 1},
		{Name: "disk sdc (hdd)", Kind: Device, Busy: 0.99, Utilisation: 0.99, Queue: 300, Servers: 1},
	}
	devices = Settled([][]Resource{devices})[0]
	if !devices[0].Uncertain || devices[1].Uncertain || devices[0].Width.Doubt != Contradictory {
		t.Errorf("%+v", devices)
	}
}
