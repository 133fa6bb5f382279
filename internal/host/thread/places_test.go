package thread

import (
	"runtime"
	"testing"
	"time"
)

func TestPlacesAreCounted(t *testing.T) {
	if TakePlace() {
		t.Error("there is a place that nobody has set")
	}
	defer Settings{Places: 2}.Use()()
	for i, want := range []bool{true, true, false} {
		if TakePlace() != want {
			t.Errorf("place %d of 2: %v", i+1, !want)
		}
	}
	GivePlace()
	if !TakePlace() {
		t.Error("a place that was given back is gone")
	}
}

// A task that sleeps must not keep the garbage collector waiting, and is not
// woken early by its signals.
func TestSleepUntilLetsTheCollectorRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	due := time.Now().Add(300 * time.Millisecond)
	awake := make(chan time.Time)
	go func() {
		SleepUntil(due)
		awake <- time.Now()
	}()
	for range 5 {
		runtime.GC()
	}
	if at := <-awake; at.Before(due) {
		t.Errorf("awake %v early", due.Sub(at))
	}
}
