package instance

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/storage"
)

// Volume is a volume of a server, for a mount of its role.
type Volume struct {
	describe.Mount
	Slot        string          // unique in the instance: db-0; db-0-archive where a server has several
	Storage     Storage         // that it is on
	kind        string          // of its endpoint
	name        string          // unique in the run
	overwritten []string        // patterns of files that share no blocks with others
	first       string          // name of its server's first volume, if that is another
	Made        *storage.Volume // nil before it is made
}

// hold has a server hold what its role mounts; nothing is made yet.
func (s *Server) hold() error {
	own := app.CapabilitiesOf(s.Engine).Overwritten
	mounts := s.VolumeMounts()
	for n, m := range mounts {
		h := &Volume{Mount: m, Slot: s.slot, name: s.unique(), overwritten: own}
		if n > 0 {
			h.Slot, h.name, h.first = h.Slot+"-"+m.Name, h.name+"-"+m.Name, h.name
		}
		if len(s.i.App.Storages) > 0 { // golden volumes are the platform's
			h.Storage = storageOf(s.i.App.Variant, s.i.App.Storages, s.Role.Name, m.Name)
			kinds := s.i.App.Parts.VolumeKinds(h.Storage.Spec)
			at := slices.IndexFunc(m.Kinds, func(kind string) bool { return slices.Contains(kinds, kind) })
			if at < 0 {
				return fmt.Errorf("the mount %s of role %s is to be one of %v, but storage %s hands out %v", m.Name, s.Role.Name, m.Kinds, h.Storage.Name, kinds)
			}
			h.kind = m.Kinds[at]
		}
		s.ownVolumes = append(s.ownVolumes, h)
	}
	return nil
}

// claim describes the volume to be made.
func (h *Volume) claim() storage.Claim {
	return storage.Claim{Name: h.name, Kind: h.kind, With: h.first, Unshared: h.overwritten}
}

// Mounted returns the server's volumes: its own, or else the volumes of the first server of its
// role.
func (s *Server) Mounted() []*Volume {
	if s.first != nil {
		return s.first.ownVolumes
	}
	return s.ownVolumes
}

// volumes returns the server's volumes that exist by now, the volume of its first mount first.
func (s *Server) volumes() (all []storage.Volume) {
	if s.first != nil {
		return s.first.volumes()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.ownVolumes {
		if h.Made != nil {
			all = append(all, *h.Made)
		}
	}
	return all
}

// make makes its volumes, one after the other.
func (s *Server) make(ctx context.Context, by func(context.Context, *Volume) (storage.Volume, error)) error {
	for _, h := range s.ownVolumes {
		v, err := by(ctx, h)
		if err != nil {
			return err
		}
		s.take(h, v)
	}
	return nil
}

func (s *Server) take(h *Volume, v storage.Volume) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.Made = &v
}

// nameOf is the name of a volume for the platform or the storage class.
func nameOf(v storage.Volume) string { return cmp.Or(v.Claim, v.Name) }

// CopyVolumes copies the volumes of each server into a directory, under the names of their slots.
func (i *Instance) CopyVolumes(ctx context.Context, dir string) error {
	return i.EachVolume(func(_ *Server, h *Volume) error {
		if h.Made.Path == "" { // a bucket, which stays where it is for as long as its class
			return nil
		}
		return i.App.Platform.CopyOut(ctx, *h.Made, filepath.Join(dir, h.Slot))
	})
}

// ImportGolden brings each golden volume into the storage that its clones lie on, which is
// the same in all instances.
func (i *Instance) ImportGolden(ctx context.Context) error {
	for _, s := range i.Servers {
		for _, h := range s.ownVolumes {
			source, ok := i.App.Data.sources[h.Slot]
			if !ok {
				continue
			}
			if err := h.Storage.Import(ctx, i.App.Data.volumeKey(h.Slot), source); err != nil {
				return fmt.Errorf("bring the golden volume into %s: %w", h.Storage.Name, err)
			}
		}
	}
	return nil
}
