package campaign

import (
	"testing"
	"time"
)

func TestStartDelay(t *testing.T) {
	for _, c := range []struct {
		drivers  int
		interval time.Duration
		want     time.Duration
	}{
		{1, time.Second, 3 * time.Second},
		{1, 100 * time.Millisecond, 1200 * time.Millisecond},
		{1, 10 * time.Second, 4 * time.Second}, // not worth waiting for
		{17, time.Second, 3800 * time.Millisecond},
	} {
		if got := startDelay(c.drivers, c.interval); got != c.want {
			t.Errorf("%d drivers, sampled every %s: %s, want %s", c.drivers, c.interval, got, c.want)
		}
	}
}
