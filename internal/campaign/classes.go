package campaign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"plimsoll/internal/storage"
	"plimsoll/internal/study"
)

// classes are the storage classes of the run, brought up when first needed.
// Two variants whose storage is configured alike share one.
type classes struct {
	c     *Campaign
	up    map[string]storage.Class
	order []storage.Class // in the order of their coming up
}

func newClasses(c *Campaign) classes { return classes{c: c, up: map[string]storage.Class{}} }

// get gives the classes of a variant's storages, up and ready, its own first.
func (k *classes) get(ctx context.Context, v study.Variant) (all []placedStorage, err error) {
	names := append([]string{v.StorageName}, slices.Sorted(maps.Keys(v.Placed))...)
	storages := v.Storages()
	for _, name := range names {
		s := storages[name]
		class, err := k.class(ctx, name, s)
		if err != nil {
			return nil, err
		}
		all = append(all, placedStorage{name, s, class})
	}
	return all, nil
}

// class gives the class of a storage, up and ready.
func (k *classes) class(ctx context.Context, name string, s study.Storage) (storage.Class, error) {
	key := s.Key(name)
	if class, ok := k.up[key]; ok {
		return class, nil
	}
	k.c.say(Event{Kind: Stage, Text: fmt.Sprintf("bring up storage class %s (%s)", name, s.Class)})
	kind, err := k.c.parts.Kinds.Get(s.Class)
	if err != nil {
		return nil, err
	}
	can := k.c.platform.Capabilities()
	class, err := kind.New(name, s.Parameters, storage.Env{
		RunID:      k.c.journal.RunID,
		Scratch:    filepath.Join(k.c.o.Scratch, "s", key),
		Journal:    k.c.journal,
		Owner:      k.c.platform.User,
		HasUser:    can.HasUser,
		Executable: k.c.o.Executable,
		Log:        k.c.o.Log,
		Claims:     can.Claims, VolumeBytes: k.volumeBytes(key),
		PowerCuts: k.c.cutsPower(),
	})
	if err != nil {
		return nil, fmt.Errorf("storage class %s: %w", name, err)
	}
	if err := class.Up(ctx); err != nil {
		// Half up it is of no use, and in the way of the next trial's attempt.
		patient, cancel := k.c.patient(ctx)
		defer cancel()
		return nil, errors.Join(fmt.Errorf("bring up storage class %s: %w", name, err), class.Down(patient))
	}
	k.order = append(k.order, class)
	k.up[key] = class
	return class, nil
}

// volumeBytes is what the largest instance of those that share a class needs.
func (k *classes) volumeBytes(key string) (most int64) {
	for _, v := range k.c.o.Plan.Variants {
		for name, s := range v.Storages() {
			if s.Key(name) == key {
				most = max(most, k.c.o.Plan.VolumeBytes(v, name))
			}
		}
	}
	return most
}

// retire takes down the classes of a variant, so that the next trial gets new ones.
func (k *classes) retire(ctx context.Context, v study.Variant) error {
	var errs []error
	for name, s := range v.Storages() {
		errs = append(errs, k.retireOne(ctx, s.Key(name)))
	}
	return errors.Join(errs...)
}

func (k *classes) retireOne(ctx context.Context, key string) error {
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

func (k *classes) down(ctx context.Context) error {
	var errs []error
	for i := len(k.order) - 1; i >= 0; i-- {
		errs = append(errs, k.order[i].Down(ctx))
	}
	return errors.Join(errs...)
}
