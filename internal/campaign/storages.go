package campaign

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// placedStorage is a storage of a trial, up and ready.
type placedStorage struct {
	name string // in the study
	spec study.Storage
	storage.Class
}

// mainStorage is the storage that the variant is about. Faults of storage concern it.
func (t *trial) mainStorage() placedStorage { return t.storages[0] }

// storageOf returns the storage of a role's mount.
func (m *member) storageOf(role, mount string) placedStorage {
	return storageOf(m.variant, m.t.storages, role, mount)
}

// storageOf returns the storage, among a variant's storages, of a role's mount.
func storageOf(v study.Variant, all []placedStorage, role, mount string) placedStorage {
	name, _ := v.StorageOf(role, mount)
	return all[max(0, slices.IndexFunc(all, func(s placedStorage) bool { return s.name == name }))]
}

// storagesUsed are the storages that mounts of some roles lie on, each once.
func storagesUsed(v study.Variant, all []placedStorage, roles []filledRole) (some []placedStorage) {
	for _, m := range roles {
		for _, mount := range m.mounts() {
			s := storageOf(v, all, m.role.Name, mount.Name)
			if !slices.ContainsFunc(some, func(have placedStorage) bool { return have.name == s.name }) {
				some = append(some, s)
			}
		}
	}
	return some
}

// devices returns the devices behind all storages.
func (t *trial) devices() (all []describe.Device) {
	for _, s := range t.storages {
		all = append(all, s.Devices()...)
	}
	return all
}

// nodes are the servers of all storages.
func (t *trial) nodes() (all []storage.Node) {
	for _, s := range t.storages {
		all = append(all, s.Nodes()...)
	}
	return all
}

// meters are the daemons of all storages that count what they do.
func (t *trial) meters() (all []storage.Meter) {
	for _, s := range t.storages {
		if meters := s.Capabilities().Meters; meters != nil {
			all = append(all, meters()...)
		}
	}
	return all
}

// noteHappenings makes events of what happened in the storages since the drivers began.
func (t *trial) noteHappenings() {
	for _, s := range t.storages {
		happened := s.Capabilities().Happened
		if happened == nil {
			continue
		}
		for _, h := range happened() {
			if !t.result.Start.IsZero() && !h.At.Before(t.result.Start) {
				t.happened(result.Event{At: h.At, Text: h.Text})
			}
		}
	}
}

// serverVolume is a volume of a server, for a mount of its role.
type serverVolume struct {
	workload.Mount
	slot        string          // unique in the instance: db-0; db-0-archive where a server has several
	storage     placedStorage   // storage that it lies on
	kind        string          // of its endpoint
	name        string          // unique in the run
	overwritten []string        // patterns of files that share no blocks with others
	first       string          // name of its server's first volume, if that is another
	volume      *storage.Volume // nil before it is made
}

// hold has a server hold what its role mounts; nothing is made yet.
func (s *server) hold() error {
	own := app.CapabilitiesOf(s.engine).Overwritten
	mounts := s.mounts()
	for n, m := range mounts {
		h := &serverVolume{Mount: m, slot: s.slot, name: s.unique(), overwritten: own}
		if n > 0 {
			h.slot, h.name, h.first = h.slot+"-"+m.Name, h.name+"-"+m.Name, h.name
		}
		if len(s.i.t.storages) > 0 { // golden volumes are the platform's
			h.storage = s.i.member.storageOf(s.role.Name, m.Name)
			kinds := s.i.t.c.parts.volumeKinds(h.storage.spec)
			at := slices.IndexFunc(m.Kinds, func(kind string) bool { return slices.Contains(kinds, kind) })
			if at < 0 {
				return fmt.Errorf("the mount %s of role %s is to be one of %v, but storage %s hands out %v", m.Name, s.role.Name, m.Kinds, h.storage.name, kinds)
			}
			h.kind = m.Kinds[at]
		}
		s.ownVolumes = append(s.ownVolumes, h)
	}
	return nil
}

// claim describes the volume to be made.
func (h *serverVolume) claim() storage.Claim {
	return storage.Claim{Name: h.name, Kind: h.kind, With: h.first, Unshared: h.overwritten}
}

// mounted returns the server's volumes: its own, or else the volumes of the first server of its
// role.
func (s *server) mounted() []*serverVolume {
	if s.first != nil {
		return s.first.ownVolumes
	}
	return s.ownVolumes
}

// volumes returns the server's volumes that exist by now, the volume of its first mount first.
func (s *server) volumes() (all []storage.Volume) {
	if s.first != nil {
		return s.first.volumes()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.ownVolumes {
		if h.volume != nil {
			all = append(all, *h.volume)
		}
	}
	return all
}

// make makes its volumes, one after the other.
func (s *server) make(ctx context.Context, by func(context.Context, *serverVolume) (storage.Volume, error)) error {
	for _, h := range s.ownVolumes {
		v, err := by(ctx, h)
		if err != nil {
			return err
		}
		s.take(h, v)
	}
	return nil
}

func (s *server) take(h *serverVolume, v storage.Volume) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.volume = &v
}

// nameOf is the name of a volume for the platform or the storage class.
func nameOf(v storage.Volume) string { return cmp.Or(v.Claim, v.Name) }
