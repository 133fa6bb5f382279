package workload

import (
	"errors"
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/host/task"
)

// DecodeParameters overwrites a workload's defaults with a job's parameters (JSON; none
// means all defaults) and refuses impossible values.
func DecodeParameters(w Workload, text []byte) (Parameters, error) {
	p := w.Defaults()
	if len(text) > 0 {
		if err := task.Decode(text, p); err != nil {
			return nil, fmt.Errorf("parameters of workload %s: %w", w.Name(), err)
		}
	}
	var wrong []error
	for _, e := range p.Validate() {
		wrong = append(wrong, fmt.Errorf("parameters of workload %s: %s: %s", w.Name(), e.Path, e.Text))
	}
	return p, errors.Join(wrong...)
}

// Own converts parameters to the type of the workload that they belong to, after validating
// them.
func Own[P Parameters](name string, p Parameters) (P, error) {
	own, ok := p.(P)
	if !ok {
		return own, fmt.Errorf("the parameters of workload %s are %T, want %T", name, p, own)
	}
	if err := describe.Problems(own.Validate()).Err(); err != nil {
		var none P
		return none, fmt.Errorf("workload %s: %w", name, err)
	}
	return own, nil
}
