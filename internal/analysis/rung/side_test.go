package rung

import (
	"maps"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Machines of their own are summed by what they are there for.
func TestSidesOfSeveralMachines(t *testing.T) {
	made := &result.Trial{Devices: []describe.Device{{Name: "sda"}, {Name: "sdb"}}}
	for _, name := range []string{"peer-1", "peer-2"} {
		made.Machines = append(made.Machines, result.Host{Name: name, Roles: []string{result.StorageRole}, Cores: 4})
		analysistest.SampledOn(made, name, "cpu", "", "utilisation", 0.25)
		analysistest.SampledOn(made, name, "cpu", "", "busy", 1)
		analysistest.SampledOn(made, name, "machine", "", "load", 3)
		analysistest.SampledOn(made, name, "machine", "", "blocked", 2)
		analysistest.SampledOn(made, name, "node", "glusterd", "cpu", 0.9) // a part of the machine
		analysistest.SampledOn(made, name, "network", "lo", "receive_bytes", 9e9)
		analysistest.SampledOn(made, name, "network", "eth0", "receive_bytes", 100e6)
		analysistest.SampledOn(made, name, "network", "eth0", "utilisation", 0.1)
		analysistest.SampledOn(made, name, "network", "bond0", "receive_bytes", 100e6) // the same bytes
		analysistest.SampledOn(made, name, "device", "vda", "read_bytes", 5e9)         // the system's
	}
	analysistest.SampledOn(made, "peer-1", "device", "sda", "read_bytes", 50e6)
	analysistest.SampledOn(made, "peer-1", "device", "sda", "utilisation", 0.5)
	analysistest.SampledOn(made, "peer-1", "device", "sda", "reads", 30)
	analysistest.SampledOn(made, "peer-1", "device", "sda", "read_await", 0.010)
	analysistest.SampledOn(made, "peer-2", "device", "sdb", "read_bytes", 70e6)
	analysistest.SampledOn(made, "peer-2", "device", "sdb", "utilisation", 0.7)
	analysistest.SampledOn(made, "peer-2", "device", "sdb", "reads", 10)
	analysistest.SampledOn(made, "peer-2", "device", "sdb", "read_await", 0.030)
	made.Machines = append(made.Machines, result.Host{Name: "client", Roles: []string{result.DriverRole}, Cores: 8})
	analysistest.SampledOn(made, "client", "cpu", "", "utilisation", 0.75)
	analysistest.SampledOn(made, "client", "driver", "driver-0", "cpu", 5)
	analysistest.SampledOn(made, "client", "network", "eth0", "receive_bytes", 80e6)

	checkSides(t, made, map[string]map[string]float64{
		"servers": {"cpu": 0.25, "cores": 2, "load": 6, "blocked": 4, "receive_bytes": 200e6, "read_bytes": 120e6, "disk_utilisation": 0.6, "await": 0.015},
		"clients": {"cpu": 0.75, "receive_bytes": 80e6},
	})
}

// Of one machine that is everything, the processes of either side are told apart;
// the disks are the servers'.
func TestSidesOfOneMachine(t *testing.T) {
	made := &result.Trial{Devices: []describe.Device{{Name: "loop1", Owner: "peer1"}}}
	analysistest.Sampled(made, "cpu", "", "utilisation", 0.9)
	analysistest.Sampled(made, "machine", "", "blocked", 7)
	analysistest.Sampled(made, "network", "lo", "receive_bytes", 1e9)
	analysistest.Sampled(made, "network", "bridge", "receive_bytes", 1e9)
	for _, peer := range []string{"peer1", "peer2"} {
		analysistest.Sampled(made, "node", peer, "cpu", 0.2)
		analysistest.Sampled(made, "node", peer, "cpu_utilisation", 0.4)
		analysistest.Sampled(made, "node", peer, "blocked", 1)
		analysistest.Sampled(made, "network", peer+"/eth0", "send_bytes", 30e6)
		analysistest.Sampled(made, "network", peer+"/lo", "send_bytes", 1e9)
	}
	analysistest.Sampled(made, "node", "medium", "cpu", 0.1) // a simulated medium is no server
	analysistest.Sampled(made, "device", "loop1", "write_bytes", 60e6)
	analysistest.Sampled(made, "driver", "driver-0", "cpu", 0.3)
	analysistest.Sampled(made, "driver", "driver-0", "blocked", 5)

	checkSides(t, made, map[string]map[string]float64{
		"servers": {"cpu": 0.4, "cores": 0.4, "blocked": 2, "send_bytes": 60e6, "write_bytes": 60e6},
		"clients": {"cores": 0.3, "blocked": 5},
		"machine": {"cpu": 0.9, "blocked": 7},
	})
}

// Where there is no server, the disks are the machine's.
func TestSidesWithoutServers(t *testing.T) {
	made := &result.Trial{Devices: []describe.Device{{Name: "vdb"}}}
	analysistest.Sampled(made, "device", "vda", "write_bytes", 1e6)
	analysistest.Sampled(made, "device", "vdb", "write_bytes", 60e6)
	checkSides(t, made, map[string]map[string]float64{"machine": {"write_bytes": 60e6}})
}

func checkSides(t *testing.T, made *result.Trial, want map[string]map[string]float64) {
	t.Helper()
	all := SidesOf(&trust.Evidence{Run: &result.Run{}}, []*result.Trial{made})
	if len(all) != len(want) {
		t.Errorf("%d sides, want %d: %+v", len(all), len(want), all)
	}
	for _, s := range all {
		if !maps.EqualFunc(s.Values, want[s.Side], func(a, b float64) bool { return a > b*0.999999 && a < b*1.000001 }) {
			t.Errorf("%s: %v, want %v", s.Side, s.Values, want[s.Side])
		}
	}
}
