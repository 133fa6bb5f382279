package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
)

// intensity is how much an operation reads for its CPU time: one that reads much and computes little
// is bound by storage first.
type intensity struct {
	Operation  string  `json:"operation"`
	Count      int64   `json:"count"`
	CPU        float64 `json:"cpu"`         // s, of all
	InputBytes int64   `json:"input_bytes"` // of all
	// BytesPerCPUSecond is missing where no CPU time was counted.
	BytesPerCPUSecond float64 `json:"bytes_per_cpu_second,omitempty"`
}

// intensitiesOf lists the operations of passed trials whose servers counted their cost, the most
// intensive first.
func intensitiesOf(run *result.Run) []intensity {
	efforts := map[string]describe.Effort{}
	for _, t := range apart(run) {
		if t.Status != result.Passed {
			continue
		}
		for name, o := range t.Operations {
			if name != t.Profile.Whole() && o.Effort != nil {
				efforts[name] = efforts[name].Plus(*o.Effort)
			}
		}
	}
	all := make([]intensity, 0, len(efforts))
	for name, e := range efforts {
		one := intensity{Operation: name, Count: e.Count, CPU: e.CPU, InputBytes: e.InputBytes}
		if e.CPU > 0 {
			one.BytesPerCPUSecond = float64(e.InputBytes) / e.CPU
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b intensity) int {
		return cmp.Or(cmp.Compare(b.BytesPerCPUSecond, a.BytesPerCPUSecond), cmp.Compare(a.Operation, b.Operation))
	})
	return all
}

// showIntensity lists the operations of a run by bytes read for a second of CPU time, the first top of
// them; 0 is all.
func showIntensity(s *command.State, run *result.Run, top int) error {
	all := intensitiesOf(run)
	if len(all) == 0 {
		return command.WithCode(fmt.Errorf("no passed trial of %s has what its operations read and cost: the servers did not count it", words.Shell(run.ID)), command.ExitRefused,
			"docs/workloads has the workloads whose servers count it for each operation")
	}
	if top > 0 && top < len(all) {
		all = all[:top]
	}
	if s.JSON {
		return s.PrintJSON(all)
	}
	t := command.Table{Head: []string{"OPERATION", "COUNT", "CPU", "READ", "READ PER CPU SECOND"}, Right: 1}
	names := make([]string, len(all))
	for i, o := range all {
		t.Row(o.Operation, words.Thousands(float64(o.Count)), words.Latency(o.CPU), words.Bytes(float64(o.InputBytes)), known(o.BytesPerCPUSecond, words.Bytes))
		names[i] = o.Operation
	}
	s.PrintTable(t)
	slices.Sort(names)
	s.PrintWrapped("In the order of their names: %s", strings.Join(names, ", "))
	return nil
}
