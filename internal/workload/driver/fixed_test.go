package driver

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
)

// list is fixed work: each user does so many units, which take so long each; fewer than 0
// units never end.
type list struct {
	*fake
	opens time.Duration // that a session takes to open
	of    func(instance, user int) (units int, each time.Duration)
}

func (l *list) Open(_ context.Context, t workload.Target, _ workload.Parameters, user int, _ uint64) (workload.Session, error) {
	time.Sleep(l.opens)
	units, each := l.of(t.Instance, user)
	return &listSession{left: units, each: each}, nil
}

type listSession struct {
	left int
	each time.Duration
}

func (s *listSession) Do(ctx context.Context, rec workload.Recorder) error {
	if s.left == 0 {
		return workload.ErrFinished
	}
	start := time.Now()
	select {
	case <-time.After(s.each):
	case <-ctx.Done():
		return ctx.Err()
	}
	rec.Observe(0, start, s.each, workload.Done)
	rec.Moved(0, 4e6)
	rec.Spent(0, describe.Effort{Count: 1, CPU: 0.5, PeakBytes: 3})
	s.left--
	return nil
}

func (s *listSession) Broken() bool { return false }
func (s *listSession) Close() error { return nil }

// played is the file of a driver that plays a list; change may change its job.
func played(t *testing.T, name string, instance, users int, of func(instance, user int) (int, time.Duration), change func(*Job)) (file string, start time.Time) {
	t.Helper()
	return playedList(t, name, instance, users, list{of: of}, change)
}

func playedList(t *testing.T, name string, instance, users int, of list, change func(*Job)) (file string, start time.Time) {
	t.Helper()
	out := &sink{}
	synctest.Test(t, func(t *testing.T) {
		f := newFake(0)
		f.fixed = true
		job := fakeJob(t, 1, users)
		job.Name, job.Targets[0].Instance, job.Warmup, job.Measure = name, instance, 0, unit.Duration(time.Hour)
		if change != nil {
			change(&job)
		}
		start = job.Start // the start of every bubble's clock
		d, err := newDriver(job, &list{f, of.opens, of.of})
		if err != nil {
			t.Fatal(err)
		}
		d.simulated = true
		if err := d.run(t.Context(), out); err != nil {
			t.Fatal(err)
		}
	})
	file = filepath.Join(t.TempDir(), name+".jsonl")
	if err := os.WriteFile(file, out.lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, start
}

func summed(t *testing.T, start time.Time, files ...string) *result.Summary {
	t.Helper()
	s, err := result.Collect(files, start, "order")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// three users do ten units of 0.93, 2.1 and 3.05 s each: when the first finishes, after
// 9.3 s, they have done 10, 4 and 3, and none ends a unit at that moment.
func three(_, user int) (int, time.Duration) {
	return 10, []time.Duration{930 * time.Millisecond, 2100 * time.Millisecond, 3050 * time.Millisecond}[user]
}

func TestUsersThatFinishAtDifferentTimes(t *testing.T) {
	file, start := played(t, "driver-0", 0, 3, three, nil)
	s := summed(t, start, file)
	wall := s.Stonewalled
	if wall == nil || wall.At.Sub(start) != 9300*time.Millisecond || wall.Seconds != 9.3 || wall.Count != 17 || wall.Bytes != 17*4e6 {
		t.Fatalf("stonewalled: %+v", wall)
	}
	if wall.Users != 3 || wall.UserSeconds < 60.7999 || wall.UserSeconds > 60.8001 { // 9.3 + 21 + 30.5
		t.Errorf("%d users finished after %g s in all", wall.Users, wall.UserSeconds)
	}
	if whole := s.Operations["order"]; whole.Count != 30 || s.Finished.Sub(start) != 30500*time.Millisecond {
		t.Errorf("the whole run: %d units, until %s", whole.Count, s.Finished.Sub(start))
	} else if want := (describe.Effort{Count: 30, CPU: 15, PeakBytes: 3}); whole.Effort == nil || !reflect.DeepEqual(*whole.Effort, want) {
		t.Errorf("the effort of the whole run: %+v", whole.Effort)
	}
}

// Work is measured from its first unit on, however long users take to connect.
func TestUsersThatConnectSlowly(t *testing.T) {
	file, start := playedList(t, "driver-0", 0, 3, list{of: three, opens: time.Minute}, nil)
	s := summed(t, start, file)
	if waited := s.Began.Sub(start); waited <= 0 || s.Finished.Sub(s.Began) != 30500*time.Millisecond {
		t.Errorf("it began %s after the common start, and ended %s after that", waited, s.Finished.Sub(s.Began))
	}
	if wall := s.Stonewalled; wall == nil || wall.Seconds < 9.2999 || wall.Seconds > 9.3001 || wall.UserSeconds < 60.7999 || wall.UserSeconds > 60.8001 {
		t.Errorf("stonewalled: %+v", wall)
	}
}

// TestStonewallOfTwoDrivers: the first user to finish is one of the first driver; what
// the second had done then is between its records of seconds 9 and 10.
func TestStonewallOfTwoDrivers(t *testing.T) {
	first, start := played(t, "driver-0", 0, 3, three, nil)
	second, _ := played(t, "driver-1", 1, 1, func(int, int) (int, time.Duration) { return 100, 400 * time.Millisecond }, nil)
	for _, files := range [][]string{{first, second}, {second, first}} {
		s := summed(t, start, files...)
		wall := s.Stonewalled
		if wall == nil || wall.Seconds != 9.3 || wall.Users != 4 || wall.Count < 17+22 || wall.Count > 17+24 { // 23 are true
			t.Fatalf("stonewalled: %+v", wall)
		}
		if whole := s.Operations["order"]; whole.Count != 130 || s.Finished.Sub(start) != 40*time.Second {
			t.Errorf("the whole run: %d units, until %s", whole.Count, s.Finished.Sub(start))
		}
	}
}

// TestUserThatNeverFinishes: the end of the phase cuts the user off, and it does not count
// as finished.
func TestUserThatNeverFinishes(t *testing.T) {
	endless := func(_, user int) (int, time.Duration) { return []int{5, 8, -1}[user], time.Second }
	file, start := played(t, "driver-0", 0, 3, endless, func(j *Job) { j.Measure = unit.Duration(20500 * time.Millisecond) })
	s := summed(t, start, file)
	if wall := s.Stonewalled; wall == nil || wall.Users != 2 || wall.Seconds != 5 || wall.Count != 15 && wall.Count != 14 && wall.Count != 13 {
		t.Errorf("stonewalled: %+v", wall) // units of the others end at the same moment
	}
	if s.Finished.Sub(start) != 8*time.Second || !s.Ended.After(start.Add(20*time.Second)) {
		t.Errorf("the last that finished did after %s, the driver ended after %s", s.Finished.Sub(start), s.Ended.Sub(start))
	}
	none, _ := played(t, "driver-0", 0, 1, func(int, int) (int, time.Duration) { return -1, time.Second }, func(j *Job) { j.Measure = unit.Duration(5 * time.Second) })
	if s := summed(t, start, none); s.Stonewalled != nil || !s.Finished.IsZero() {
		t.Errorf("nobody finished, and yet: %+v, %s", s.Stonewalled, s.Finished)
	}
}

// TestDriverThatDiesWithFixedWork: its records until then count, its users have not
// finished, and the damage is reported.
func TestDriverThatDiesWithFixedWork(t *testing.T) {
	first, start := played(t, "driver-0", 0, 3, three, nil)
	second, _ := played(t, "driver-1", 1, 1, func(int, int) (int, time.Duration) { return 100, 400 * time.Millisecond }, nil)
	text, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.SplitAfter(string(text), "\n")
	if err := os.WriteFile(second, []byte(strings.Join(whole[:7], "")+whole[7][:10]), 0o600); err != nil {
		t.Fatal(err)
	}
	s := summed(t, start, first, second)
	if wall := s.Stonewalled; wall == nil || wall.Users != 3 || wall.Count <= 17 || wall.Count > 17+23 || len(s.Unended) != 1 {
		t.Errorf("stonewalled: %+v, drivers that did not end: %v", wall, s.Unended)
	}
}

// A paced session that ends because the phase does has not finished its work.
func TestPacedSessionsThatFinish(t *testing.T) {
	for _, c := range []struct {
		units    int
		finished int
	}{{30, 2}, {1 << 20, 0}} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(0)
			f.fixed = true
			job := fakeJob(t, 1, 2)
			job.Warmup = 0
			s := mustRun(t, job, &pacedList{pacedFake{f, 4, 100 * time.Millisecond, 0}, c.units})
			finished := 0
			for _, r := range s.records {
				if r.Kind == result.KindFinished {
					finished++
				}
			}
			if finished != c.finished {
				t.Errorf("of two users with %d units %d finished, want %d", c.units, finished, c.finished)
			}
		})
	}
}

// pacedList is paced and fixed.
type pacedList struct {
	pacedFake
	units int
}

func (f *pacedList) Open(ctx context.Context, t workload.Target, p workload.Parameters, user int, seed uint64) (workload.Session, error) {
	s, err := f.pacedFake.Open(ctx, t, p, user, seed)
	return &pacedListSession{s.(*pacedSession), f.units}, err
}

type pacedListSession struct {
	*pacedSession
	left int
}

func (s *pacedListSession) Do(ctx context.Context, rec workload.Recorder) error {
	if s.left == 0 {
		return workload.ErrFinished
	}
	s.left--
	return s.pacedSession.Do(ctx, rec)
}

func TestFixedWorkHasNoWarmUp(t *testing.T) {
	f := newFake(time.Second)
	f.fixed = true
	if _, err := newDriver(fakeJob(t, 1, 1), f); err == nil || !strings.Contains(err.Error(), "fixed work has no warm-up (5s)") {
		t.Errorf("%v", err)
	}
}
