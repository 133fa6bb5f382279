package driver

import (
	"testing"

	"plimsoll/internal/host/task"
	"plimsoll/internal/workload"
)

// FuzzJob reads any job: it is refused in words or can be run.
func FuzzJob(f *testing.F) {
	f.Add([]byte(`{"workload":"fake","parameters":{},"targets":[{"instance":0,"endpoints":[{"role":"db","kind":"none"}]}],"users":2,"think_time":"1s","ramp_rate":0,
		"start":"2026-11-22T00:00:00Z","ramp":"0s","warmup":"1s","measure":"3s","seed":1}`))
	f.Add([]byte(`{"users":-1,"rate":1e308,"measure":"2562047h","error_limit":2}`))
	f.Add([]byte(`{"unknown":1}`))
	f.Add([]byte(`null {}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var job Job
		if task.Decode(text, &job) != nil {
			return
		}
		w := newFake(0)
		p, err := workload.DecodeParameters(w, job.Parameters)
		if err != nil || job.check(w, p) != nil {
			return
		}
		if job.Users < 1 || job.Measure <= 0 || len(job.Targets) == 0 {
			t.Fatalf("a job that cannot be run passed the check: %+v", job)
		}
	})
}
