package trust

import (
	"slices"

	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// observed is what the telemetry of a trial says to those who doubt it: what happened in each
// second, and when something of each machine was known. The file is read once for both.
type observed struct {
	course steadiness.Course
	known  bool // whether the course is
	// machines are the samples of the trial's machines by name; readable reports whether the
	// telemetry could be read, and unopened why it could not be opened.
	machines map[string]trial.Samples
	readable bool
	unopened error
}

// observe reads the telemetry of a trial.
func (e *Evidence) observe(t *result.Trial) (o observed) {
	if e.Run.Dir == "" {
		return o
	}
	reading := steadiness.Reading{Of: t}
	if o.machines, o.unopened = machinesIn(e.Run, t, &reading); o.unopened == nil {
		o.readable = o.machines != nil
	}
	if o.readable {
		o.course, o.known = reading.Course()
	}
	if !o.known { // in the telemetry; it may be among what is not damaged, or in the records
		o.course, o.known = steadiness.CourseOf(e.Run, t)
	}
	return o
}

// machinesIn reads the samples of a trial's machines, and gives its other series to a reading of
// the course. There are no machines (nil) where the telemetry is damaged, which Run.Lost says.
func machinesIn(run *result.Run, t *result.Trial, reading *steadiness.Reading) (all map[string]trial.Samples, unopened error) {
	file, err := run.Telemetry(t)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	all = map[string]trial.Samples{}
	for s, err := range file.Each(slices.Concat(ofMachine, steadiness.CourseSeries)...) {
		switch {
		case err != nil:
			return nil, nil
		case slices.Contains(ofMachine, s.Kind):
			name := nameOf(s.Machine)
			all[name] = all[name].Take(s)
		default:
			reading.Take(s)
		}
	}
	return all, nil
}
