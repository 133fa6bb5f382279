package trial

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"plimsoll/internal/campaign/instance"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
)

// house is storage and servers that tell in which order they lost their power.
type house struct {
	storage.Class
	mu    sync.Mutex
	steps []string
	back  error // of RestorePower
}

func (h *house) step(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.steps = append(h.steps, what)
}

func (h *house) CutPower(context.Context, string, uint64) (storage.PowerLoss, error) {
	h.step("storage")
	return storage.PowerLoss{Unflushed: 3, Lost: 2, Torn: 1, Bytes: 5e6}, nil
}

func (h *house) RestorePower(context.Context) error {
	h.step("restore")
	return h.back
}

func (h *house) Capabilities() storage.Capabilities { return storage.Capabilities{Power: h} }

type tenant struct {
	platform.Process
	house *house
}

func (p tenant) Err() error { return errors.New("it was killed") }

func (p tenant) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

func (p tenant) Kill() error {
	p.house.step("server")
	return nil
}

func powerTrial(h *house) *trial {
	t := alone(&trial{storages: []instance.Storage{{Class: h}}}, "some")
	t.Plan.Study.Phases.End = study.CutPower
	for n := range 3 {
		t.instances = append(t.instances, running(t, n, tenant{house: h}, nil))
	}
	return t
}

// Were a server killed first, what the storage kept meanwhile would count; were
// it killed last, it is not taken for one that ended by itself.
func TestStorageLosesItsPowerFirst(t *testing.T) {
	h := &house{}
	tr := powerTrial(h)
	if err := tr.cutPower(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"storage", "server", "server", "server"}; !slices.Equal(h.steps, want) {
		t.Errorf("the power was lost in the order %v, want %v", h.steps, want)
	}
	for _, i := range tr.instances {
		if err := i.Servers[0].AwaitEnd(i.Servers[0].Current(), nil); err != nil {
			t.Errorf("a server that the power cut ended would fail the trial: %v", err)
		}
	}
	if last := tr.result.Events[len(tr.result.Events)-1].Text; !strings.Contains(last, "of 3 unflushed writes, 2 were lost and 1 were torn, 5.0 MB") {
		t.Errorf("the event says %q", last)
	}
}

// The power cut that ends the load is recorded like any fault of the study.
func TestThePowerCutAtTheEndIsAFault(t *testing.T) {
	tr := powerTrial(&house{})
	if err := tr.endByPowerCut(t.Context(), t.Context()); err != nil {
		t.Fatal(err)
	}
	if first := tr.result.Events[0]; first.Fault != study.CutPower {
		t.Errorf("the first event is %+v", first)
	}
	if len(tr.lastCut) != 1 {
		t.Errorf("marks %v", tr.lastCut)
	}
}

// What does not come back fails the trial, in words.
func TestStorageThatDoesNotComeBackFailsTheTrial(t *testing.T) {
	h := &house{back: errors.New("the file system is gone")}
	tr := powerTrial(h)
	if err := tr.recover(t.Context()); err == nil || !strings.Contains(err.Error(), "before the power was cut") {
		t.Errorf("a load that ended before the cut: %v", err)
	}
	if err := tr.cutPower(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := tr.recover(t.Context()); err == nil || !strings.Contains(err.Error(), "after the power cut: the file system is gone") {
		t.Errorf("the error is %v", err)
	}
}
