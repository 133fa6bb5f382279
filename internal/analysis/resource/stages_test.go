package resource

import (
	"testing"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// moved is a trial whose items passed three stages. The middle one took so many of ten
// seconds.
func moved(middle float64) *result.Trial {
	return &result.Trial{
		Part: result.Part{Profile: describe.Profile{Operations: []string{"item"}}, Operations: map[string]result.OperationSummary{"item": {Count: 2, Effort: &describe.Effort{Count: 2, Stages: []describe.Stage{
			{Side: "source", Name: "read", Bytes: 300, Busy: 1, After: 9},
			{Side: "source", Name: "compress", Bytes: 300, Busy: middle, Before: 10 - middle},
			{Side: "destination", Name: "write", Bytes: 100, Busy: 2, Before: 8},
		}}}}},
	}
}

// A stage that limits the others is the bottleneck before the CPU that it uses up, and not
// before the disk that it waits for; one that does not is none.
func TestStages(t *testing.T) {
	cpu := Resource{Name: "CPU", Kind: CPU, Utilisation: 0.97, Servers: 2}
	disk := Resource{Name: "disk sdb", Kind: Device, Utilisation: 0.97, Servers: 1}
	idle := Resource{Name: "CPU", Kind: CPU, Utilisation: 0.3, Servers: 2}
	for name, c := range map[string]struct {
		middle float64
		beside []Resource
		want   string
	}{
		"it limits":                    {9.8, []Resource{idle}, "stage compress of the source"},
		"it limits, and uses up a CPU": {9.8, []Resource{cpu}, "stage compress of the source"},
		"a disk is saturated":          {9.8, []Resource{disk, idle}, "disk sdb"},
		"it does not limit":            {5, []Resource{idle}, "CPU"},
		"it does not, but the CPU":     {5, []Resource{cpu}, "CPU"},
	} {
		steps := stepsOf([]*result.Trial{moved(c.middle), moved(c.middle)})
		if len(steps) != 3 || steps[1].Step.Bytes != 600 || steps[1].Demand != c.middle/2 || steps[1].Step.Seconds != 2*c.middle {
			t.Errorf("%s: %+v", name, steps)
		}
		top := Busiest(append(steps, c.beside...))
		if top == nil || top.Name != c.want {
			t.Errorf("%s: the busiest is %+v, want %s", name, top, c.want)
		}
		if c.middle > 9 && (!steps[1].Limits() || steps[0].Limits() || steps[1].Step.Full != 0.9 || steps[1].Step.Empty != 0.8) {
			t.Errorf("%s: %+v", name, steps[1].Step)
		}
	}
	if steps := stepsOf([]*result.Trial{{}}); len(steps) != 0 {
		t.Errorf("work without stages has %+v", steps)
	}
}
