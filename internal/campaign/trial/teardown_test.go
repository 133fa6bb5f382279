package trial

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plimsoll/internal/campaign/instance"
	"plimsoll/internal/platform"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
)

// stubborn is a server whose stop fails at once, or else takes a while.
type stubborn struct {
	platform.Process
	failure error
	stopped *atomic.Int32
}

func (s stubborn) Log(context.Context) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("")), nil
}

func (s stubborn) Stop(ctx context.Context) error {
	if s.failure != nil {
		return s.failure
	}
	select {
	case <-ctx.Done():
		return errors.New("did not stop within 2m")
	case <-time.After(100 * time.Millisecond):
		s.stopped.Add(1)
		return nil
	}
}

type deleter struct {
	storage.Class
	deleted *atomic.Int32
}

func (d deleter) Delete(ctx context.Context, _ storage.Volume) error {
	if ctx.Err() == nil {
		d.deleted.Add(1)
	}
	return ctx.Err()
}

// One instance that cannot be stopped must not keep the others from stopping
// in order, and its own error must be seen.
func TestOneFailedTeardownDoesNotCancelTheOthers(t *testing.T) {
	var stopped, deleted atomic.Int32
	broken := errors.New("waits for storage")
	w, err := result.Create(t.TempDir(), nil, nil, result.Machine{})
	if err != nil {
		t.Fatal(err)
	}
	files, err := w.Trial("ssd/33/1")
	if err != nil {
		t.Fatal(err)
	}
	tr := alone(&trial{storages: []instance.Storage{{Class: deleter{deleted: &deleted}}}, files: files}, "some")
	const count = 2*downAtOnce + 1
	for n := range count {
		p := stubborn{stopped: &stopped}
		if n == 0 {
			p.failure = broken
		}
		tr.instances = append(tr.instances, running(tr, n, p, &storage.Volume{}))
	}
	err = tr.downAll(t.Context())
	if !errors.Is(err, broken) || strings.Contains(err.Error(), "did not stop") {
		t.Errorf("the error is %v", err)
	}
	if stopped.Load() != count-1 || deleted.Load() != count {
		t.Errorf("%d stopped and %d volumes deleted, want %d and %d", stopped.Load(), deleted.Load(), count-1, count)
	}
}
