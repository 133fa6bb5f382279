package campaigntest

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/event"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
)

// ClassName is the storage class in studies.
const ClassName = "fake"

type classKind struct{ w *World }

// Kinds registers the class.
func (w *World) Kinds() storage.Registry {
	return storage.NewRegistry(classKind{w}, ownKind{classKind{w}})
}

func (classKind) Name() string                    { return ClassName }
func (classKind) Defaults() any                   { return &struct{}{} }
func (classKind) Validate(any) []describe.Problem { return nil }
func (classKind) Usable(any) error                { return nil }
func (classKind) Place(any) storage.Place         { return storage.Place{} }
func (classKind) VolumeKinds(any) []string        { return []string{endpoint.Directory} }

func (classKind) Capabilities() storage.KindCapabilities {
	return storage.KindCapabilities{Events: classKind{}.Events, Class: (&class{}).Capabilities()}
}

func (k classKind) New(name string, _ any, env storage.Env) (storage.Class, error) {
	if err := k.w.call("Class.New", name); err != nil {
		return nil, err
	}
	return &class{w: k.w, env: env}, nil
}

// Events: "break" and "fix", and "snapshot instance 0", which breaks nothing.
func (classKind) Events(any) event.Declaration {
	return event.Declaration{Of: "the fake class", Verbs: []event.Verb{
		{Name: study.CutPower, Breaks: true, CutsPower: true},
		{Name: breakIt, Breaks: true},
		{Name: fixIt, Undoes: []string{breakIt}},
		{Name: snapshot, Object: event.Object{Form: event.Servers, Kind: "instance"}},
	}}
}

const (
	breakIt  = "break"
	fixIt    = "fix"
	snapshot = "snapshot"
)

// class hands out volumes below its scratch directory.
type class struct {
	w   *World
	env storage.Env

	mu     sync.Mutex
	broken bool
	fixed  time.Time
}

func (c *class) Capabilities() storage.Capabilities {
	return storage.Capabilities{Remount: c.Remount, RemoveLimits: c.RemoveLimits, Doubts: c.Doubts, CheckCopies: c.CheckCopies, Do: c.Do, Healer: c, Power: c}
}

func (c *class) volumes() string { return filepath.Join(c.env.Scratch, "volumes") }

func (c *class) imported(key string) string { return filepath.Join(c.env.Scratch, "golden", key) }

func (c *class) Up(ctx context.Context) error {
	if err := c.w.call("Class.Up", ""); err != nil {
		return err
	}
	return sleep(ctx, time.Second)
}

func (c *class) Describe() describe.Storage { return describe.Storage{Class: ClassName} }
func (c *class) Devices() []describe.Device { return nil }
func (c *class) Nodes() []storage.Node      { return nil }

func (c *class) Import(_ context.Context, key, source string) error {
	if err := c.w.call("Class.Import", key); err != nil {
		return err
	}
	if c.w.volume(c.imported(key), func(*volume) error { return nil }) == nil {
		return nil // once per key
	}
	return c.copyVolume(source, c.imported(key))
}

func (c *class) copyVolume(from, to string) error {
	var same *volume
	err := c.w.volume(from, func(v *volume) error { same = v.copy(); return nil })
	if err != nil {
		return err
	}
	same.kept = false
	_, err = c.w.make(c.env.Journal, to, same)
	return err
}

func (c *class) Provision(_ context.Context, claim storage.Claim) (storage.Volume, error) {
	name := claim.Name
	if err := c.w.call("Class.Provision", name); err != nil {
		return storage.Volume{}, err
	}
	return c.w.make(c.env.Journal, filepath.Join(c.volumes(), name), newVolume())
}

func (c *class) Clone(_ context.Context, key string, claim storage.Claim) (storage.Volume, error) {
	name := claim.Name
	if err := c.w.call("Class.Clone", name); err != nil {
		return storage.Volume{}, err
	}
	at := filepath.Join(c.volumes(), name)
	return storage.Volume{Name: name, Path: at}, c.copyVolume(c.imported(key), at)
}

func (c *class) Delete(_ context.Context, v storage.Volume) error {
	if err := c.w.call("Class.Delete", v.Name); err != nil {
		return err
	}
	return c.w.unmake(c.env.Journal, v.Path)
}

func (c *class) Settle(context.Context) (string, error) {
	return "", c.w.call("Class.Settle", "")
}

func (c *class) Down(context.Context) error {
	if err := c.w.call("Class.Down", ""); err != nil {
		return err
	}
	var errs []error
	for _, o := range c.w.Objects() {
		if strings.HasPrefix(o.Path, c.env.Scratch+"/") {
			errs = append(errs, c.w.unmake(c.env.Journal, o.Path))
		}
	}
	return errors.Join(errs...)
}

func (c *class) RemoveLimits() error { return c.w.call("Class.RemoveLimits", "") }

func (c *class) Remount(context.Context) (storage.RemountResult, error) {
	return storage.RemountResult{Done: "mounted the volumes again"}, c.w.call("Class.Remount", "")
}

func (c *class) Doubts(context.Context) []storage.Doubt { return nil }

func (c *class) CheckCopies(_ context.Context, v storage.Volume) (storage.Copies, error) {
	return storage.Copies{Files: 1}, c.w.call("Class.CheckCopies", v.Name)
}

func (c *class) Do(_ context.Context, e event.Event, on []storage.Volume) error {
	if e.Verb.Name == snapshot {
		for _, v := range on {
			if err := c.w.call("Class.Snapshot", v.Name); err != nil {
				return err
			}
		}
		return nil
	}
	if err := c.w.call("Class.Inject", e.Text); err != nil {
		return err
	}
	c.set(e.Verb.Name == breakIt)
	return nil
}

func (c *class) set(broken bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken, c.fixed = broken, time.Now()
}

func (c *class) Repair(context.Context) (done []string, err error) {
	if err := c.w.call("Class.Repair", ""); err != nil {
		return nil, err
	}
	c.mu.Lock()
	broken := c.broken
	c.mu.Unlock()
	if broken {
		c.set(false)
		done = []string{"fixed what was broken"}
	}
	return done, nil
}

// healTime is how long redundancy takes to be complete again.
const healTime = 5 * time.Second

func (c *class) Healthy(context.Context) (bool, error) {
	if err := c.w.call("Class.Healthy", ""); err != nil {
		return false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.broken && time.Since(c.fixed) >= healTime, nil
}

func (c *class) CutPower(_ context.Context, _ string, _ uint64) (storage.PowerLoss, error) {
	if err := c.w.call("Class.CutPower", ""); err != nil {
		return storage.PowerLoss{}, err
	}
	c.w.darken(c.volumes(), true)
	return storage.PowerLoss{}, nil
}

func (c *class) RestorePower(context.Context) error {
	if err := c.w.call("Class.RestorePower", ""); err != nil {
		return err
	}
	c.w.darken(c.volumes(), false)
	return nil
}

// darken takes the power from volumes, or gives it back.
func (w *World) darken(below string, dark bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for path, v := range w.state.volumes {
		if filepath.Dir(path) == below {
			v.dark = dark
		}
	}
}
