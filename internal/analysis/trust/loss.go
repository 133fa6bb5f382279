// This file finds what a trial was to have, or had when it ended, and has not: files that are gone or
// damaged, machines that nobody sampled, stretches without samples, instances without figures.
// What was to be there is known from trial.json itself, so that trials of earlier versions, which
// say less of it, lose nothing for that.

package trust

import (
	"slices"

	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Loss is one thing that is not there.
type Loss struct {
	Form  Form    // LostFile, LostRecords, LostInstances, LostSamples or LostMachine
	Of    string  // the file, or what the machine is called
	Found Reason  // what was found instead; empty for LostSamples
	Share float64 // of the measured phase, for LostSamples
}

// losses finds the lost evidence of a trial with so many instances.
func (o observed) losses(run *result.Run, t *result.Trial, m trial.Metrics, instances int) (all []Loss) {
	for _, p := range run.Lost(t, o.unopened) {
		form := LostRecords
		if p.File == result.TelemetryFile {
			form = LostFile
		}
		all = append(all, Loss{Form: form, Of: p.File, Found: Reason{Missing, FoundProblem, []Arg{Name(p.Reason)}}})
	}
	if n := len(t.Instances); n > 0 && n < instances {
		all = append(all, Loss{Form: LostInstances, Of: result.TrialFile, Found: Reason{Missing, FoundInstances, []Arg{Count(n), Count(instances)}}})
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
		var found Form
		var files []Arg
		switch {
		case h.Simulated:
		case listed(t, h) && !summed[h.Name] && !seen:
			found, files = FoundNoSample, []Arg{Name(result.TrialFile)}
		case !summed[h.Name] && s.Within(t):
			found, files = FoundNoFigure, []Arg{Name(result.TelemetryFile), Name(result.TrialFile)}
		case counted[h.Name] && o.readable && !seen && len(o.machines) > 0:
			found, files = FoundNoSeries, []Arg{Name(result.TrialFile), Name(result.TelemetryFile)}
		case seen:
			if share := s.Missing(t); share > 0 {
				all = append(all, Loss{Form: LostSamples, Of: h.Called(), Share: share})
			}
		}
		if found != "" {
			all = append(all, Loss{Form: LostMachine, Of: h.Called(), Found: Reason{Missing, found, files}})
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
