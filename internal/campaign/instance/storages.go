package instance

import (
	"slices"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
)

// Storage is a storage of a trial, up and ready.
type Storage struct {
	Name string // in the study
	Spec study.Storage
	storage.Class
}

// storageOf returns the storage, among a variant's storages, of a role's mount.
func storageOf(v study.Variant, all []Storage, role, mount string) Storage {
	name := v.StorageOf(role, mount)
	return all[max(0, slices.IndexFunc(all, func(s Storage) bool { return s.Name == name }))]
}

// storagesUsed are the storages that mounts of some roles lie on, each once.
func storagesUsed(v study.Variant, all []Storage, roles []facts.Role) (some []Storage) {
	for _, m := range roles {
		for _, mount := range m.VolumeMounts() {
			s := storageOf(v, all, m.Name, mount.Name)
			if !slices.ContainsFunc(some, func(have Storage) bool { return have.Name == s.Name }) {
				some = append(some, s)
			}
		}
	}
	return some
}
