package instance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll/internal/storage"
	"plimsoll/internal/study"
)

// Classes are the storage classes of the run, brought up when first needed.
// Two variants whose storage is configured alike share one.
type Classes struct {
	env   *Env
	up    map[string]storage.Class
	order []storage.Class // in the order of their coming up
}

// NewClasses is without any that is up.
func NewClasses(env *Env) *Classes { return &Classes{env: env, up: map[string]storage.Class{}} }

// Get gives the classes of a variant's storages, up and ready, its own first.
func (k *Classes) Get(ctx context.Context, v study.Variant) (all []Storage, err error) {
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(v.Storages)), func(name string) bool { return name == v.StorageName })
	for _, name := range append([]string{v.StorageName}, others...) {
		s := v.Storages[name]
		class, err := k.class(ctx, name, s)
		if err != nil {
			return nil, err
		}
		all = append(all, Storage{name, s, class})
	}
	return all, nil
}

// class gives the class of a storage, up and ready.
func (k *Classes) class(ctx context.Context, name string, s study.Storage) (storage.Class, error) {
	key := s.Key(name)
	if class, ok := k.up[key]; ok {
		return class, nil
	}
	k.env.Watch.Stage(fmt.Sprintf("bring up storage class %s (%s)", name, s.Class))
	kind, err := k.env.Parts.Kinds.Get(s.Class)
	if err != nil {
		return nil, err
	}
	can := k.env.Platform.Capabilities()
	class, err := kind.New(name, s.Parameters, storage.Env{
		RunID:      k.env.Journal.RunID,
		Scratch:    filepath.Join(k.env.Scratch, "s", key),
		Journal:    k.env.Journal,
		Owner:      k.env.Platform.User,
		HasUser:    can.HasUser,
		Executable: k.env.Executable,
		Log:        k.env.Log,
		Claims:     can.Claims, VolumeBytes: k.volumeBytes(key),
		PowerCuts: cutsPower(k.env.Plan.Study),
	})
	if err != nil {
		return nil, fmt.Errorf("storage class %s: %w", name, err)
	}
	if err := class.Up(ctx); err != nil {
		// Half up it is of no use, and in the way of the next trial's attempt.
		patient, cancel := k.env.Clock.Patient(ctx)
		defer cancel()
		return nil, errors.Join(fmt.Errorf("bring up storage class %s: %w", name, err), class.Down(patient))
	}
	k.order = append(k.order, class)
	k.up[key] = class
	return class, nil
}

// volumeBytes is what the largest instance of those that share a class needs.
func (k *Classes) volumeBytes(key string) (most int64) {
	for _, v := range k.env.Plan.Variants {
		for name, s := range v.Storages {
			if s.Key(name) == key {
				most = max(most, k.env.Plan.VolumeBytes(v, name))
			}
		}
	}
	return most
}

// Retire takes down the classes of a variant, so that the next trial gets new ones.
func (k *Classes) Retire(ctx context.Context, v study.Variant) error {
	var errs []error
	for name, s := range v.Storages {
		errs = append(errs, k.retireOne(ctx, s.Key(name)))
	}
	return errors.Join(errs...)
}

func (k *Classes) retireOne(ctx context.Context, key string) error {
	class, ok := k.up[key]
	if !ok {
		return nil
	}
	delete(k.up, key)
	if err := class.Down(ctx); err != nil {
		return err // the end of the run tries again
	}
	k.order = slices.DeleteFunc(k.order, func(have storage.Class) bool { return have == class })
	return nil
}

// Down takes all of them down, the last first.
func (k *Classes) Down(ctx context.Context) error {
	var errs []error
	for i := len(k.order) - 1; i >= 0; i-- {
		errs = append(errs, k.order[i].Down(ctx))
	}
	return errors.Join(errs...)
}

// cutsPower reports whether the study cuts the power of the storage.
func cutsPower(s *study.Study) bool {
	cuts := s.Phases.End == study.CutPower
	for _, e := range s.AllEvents() {
		cuts = cuts || e.Do == study.CutPower || strings.HasPrefix(e.Do, study.CutPower+" ")
	}
	return cuts
}
