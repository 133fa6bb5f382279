// This file finds what a trial was to have, or had when it ended, and has not: files that are gone or
// damaged, machines that nobody sampled, stretches without samples, instances without figures.
// What was to be there is known from trial.json itself, so that trials of earlier versions, which
// say less of it, lose nothing for that.

package trust

import (
	"fmt"
	"slices"

	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// LossKind is the kind of evidence that is lost.
type LossKind string

// Kinds of losses.
const (
	LostTelemetry LossKind = "telemetry" // the file of all series
	LostRecord    LossKind = "record"    // a file that trial.json sums up: its figures stand, and cannot be checked
	LostMachine   LossKind = "machine"   // all samples of a machine
	LostSamples   LossKind = "samples"   // samples of a part of the measured phase
	LostInstances LossKind = "instances" // the figures of some instances
)

// Loss is one thing that is not there.
type Loss struct {
	Kind  LossKind
	Of    string  // the file, or what the machine is called
	Found string  // what was found instead, in words
	Share float64 // of the measured phase, for Samples
}

// losses finds the lost evidence of a trial with so many instances.
func (o observed) losses(run *result.Run, t *result.Trial, m trial.Metrics, instances int) (all []Loss) {
	for _, p := range run.Lost(t, o.unopened) {
		kind := LostRecord
		if p.File == result.TelemetryFile {
			kind = LostTelemetry
		}
		all = append(all, Loss{Kind: kind, Of: p.File, Found: p.Reason})
	}
	if n := len(t.Instances); n > 0 && n < instances {
		all = append(all, Loss{Kind: LostInstances, Of: result.TrialFile, Found: fmt.Sprintf("has the figures of %d of %d instances", n, instances)})
	}
	return append(all, o.lostMachines(t, m)...)
}

// lostMachines finds machines of a trial without samples, or with too few. Where nothing at all was
// sampled and the telemetry is as it was written, the platform samples nothing.
func (o observed) lostMachines(t *result.Trial, m trial.Metrics) (all []Loss) {
	summed, counted := figuresOf(t)
	if len(summed) == 0 && o.readable && len(o.machines) == 0 {
		return nil
	}
	for _, h := range m.Hosts(t, 0) {
		s, seen := o.machines[h.Name]
		found := ""
		switch {
		case h.Simulated:
		case listed(t, h) && !summed[h.Name] && !seen:
			found = "is listed in " + result.TrialFile + " and has no sample"
		case !summed[h.Name] && s.within(t):
			found = "has samples in " + result.TelemetryFile + " and no figure in " + result.TrialFile
		case counted[h.Name] && o.readable && !seen && len(o.machines) > 0:
			found = "has figures in " + result.TrialFile + " and no sample in " + result.TelemetryFile
		case seen:
			if share := s.missing(t); share > 0 {
				all = append(all, Loss{Kind: LostSamples, Of: h.Called(), Share: share})
			}
		}
		if found != "" {
			all = append(all, Loss{Kind: LostMachine, Of: h.Called(), Found: found})
		}
	}
	return all
}

// listed reports whether trial.json names the machine among those that were observed.
func listed(t *result.Trial, h trial.Host) bool {
	return slices.ContainsFunc(t.Machines, func(o result.Host) bool { return h.Has(o.Name) })
}

// figuresOf are the machines that have figures in trial.json, by name. counted are the ones
// with figures of the kinds in ofMachine.
func figuresOf(t *result.Trial) (any, counted map[string]bool) {
	any, counted = map[string]bool{}, map[string]bool{}
	for _, r := range t.Resources {
		name := nameOf(r.Machine)
		any[name] = any[name] || r.Machine != "" || !slices.Contains(fromRecords, r.Kind)
		counted[name] = counted[name] || slices.Contains(ofMachine, r.Kind)
	}
	return any, counted
}

// fromRecords are the kinds of series that drivers record, which have no machine, and ofMachine
// those that tell that a machine was sampled.
var (
	fromRecords = []string{describe.DriverKind, describe.OperationKind, describe.InstanceKind}
	ofMachine   = []string{describe.CPUKind, describe.MachineKind, describe.DeviceKind, describe.NetworkKind}
)

func nameOf(machine string) string {
	if machine == result.LocalMachine {
		return ""
	}
	return machine
}
