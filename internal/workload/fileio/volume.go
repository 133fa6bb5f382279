package fileio

import (
	"errors"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
)

// VolumeRole is the only role of workloads on files: a volume without a server.
const VolumeRole = "volume"

// Roles are a directory without a server.
func Roles() []workload.Role {
	return []workload.Role{{Name: VolumeRole, Kinds: []string{endpoint.Directory}, Needed: workload.Always}}
}

// onVolume does something with an instance's volume.
func onVolume(t workload.Target, do func(root *Root) error) (err error) {
	root, err := OpenVolume(t.Endpoint(VolumeRole))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return do(root)
}

// Prepare has fill write files of so many bytes, below the directory top of an instance's
// volume that is empty. It removes everything where that fails.
func Prepare(t workload.Target, o Owner, top string, bytes int64, fill func(root *Root, volume uint64) error) error {
	return onVolume(t, func(root *Root) error {
		if err := root.CheckSpace(bytes); err != nil {
			return err
		}
		volume, err := root.Claim(o)
		if err != nil {
			return err
		}
		if err := fill(root, volume); err != nil {
			return errors.Join(err, root.Remove(top), root.Release())
		}
		return nil
	})
}

// OnPrepared does something with the volume that was prepared for its owner.
func OnPrepared(t workload.Target, o Owner, do func(root *Root, volume uint64) error) error {
	return onVolume(t, func(root *Root) error {
		volume, err := root.Identity(o)
		if err != nil {
			return err
		}
		return do(root, volume)
	})
}
