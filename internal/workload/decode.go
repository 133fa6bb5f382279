package workload

import (
	"errors"
	"fmt"

	"plimsoll/internal/task"
)

// DecodeParameters fills a workload's defaults with those of a job (JSON; none
// is all defaults) and refuses impossible ones.
func DecodeParameters(w Workload, text []byte) (Parameters, error) {
	p := w.Defaults()
	if len(text) > 0 {
		if err := task.Decode(text, p); err != nil {
			return nil, fmt.Errorf("parameters of workload %s: %w", w.Name(), err)
		}
	}
	var wrong []error
	for _, e := range p.Validate() {
		wrong = append(wrong, fmt.Errorf("parameters of workload %s: %s: %s", w.Name(), e.Field, e.Reason))
	}
	return p, errors.Join(wrong...)
}
