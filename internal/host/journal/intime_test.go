package journal

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// An operation that hangs in the kernel, such as unmounting a file system served by a
// stopped process, is waited for only so long, and not at all once the user has
// interrupted.
func TestWhatNeverEndsIsNotWaitedFor(t *testing.T) {
	for range 2 {
		never := make(chan struct{})
		defer close(never)
		err := inTime(t.Context(), 50*time.Millisecond, "/m to be unmounted", func() { <-never })
		if err == nil || !strings.Contains(err.Error(), "/m to be unmounted") {
			t.Errorf("%v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := inTime(ctx, time.Hour, "/m", func() { <-never }); !errors.Is(err, context.Canceled) {
			t.Errorf("interrupted: %v", err)
		}
	}
	did := false
	if err := inTime(t.Context(), time.Minute, "/m", func() { did = true }); err != nil || !did {
		t.Errorf("%v, done %v", err, did)
	}
}
