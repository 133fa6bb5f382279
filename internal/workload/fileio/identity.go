package fileio

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"plimsoll/internal/host/mounts"
)

// identityFile says for whom a volume was prepared.
const identityFile = ".plimsoll-id"

// longestIdentity bounds the size of an identity file, in bytes.
const longestIdentity = 4096

// Owner is for whom a volume was prepared.
type Owner struct {
	Workload string `json:"workload"`
	Instance int    `json:"instance"`
	// Shape identifies the properties of files that sessions depend on, such as their size.
	Shape string `json:"shape"`
}

// identity is the content of the identity file.
type identity struct {
	Owner
	Volume uint64 `json:"volume,string"`
}

// mostInstances is how many instances identities distinguish.
const mostInstances = 1 << 16

// NewIdentity makes what the stamps of an instance's volume carry: random, so
// that data of an earlier run are not taken for this one's, and the instance,
// so that exchanged volumes show.
func NewIdentity(instance int) uint64 {
	return rand.Uint64()/mostInstances*mostInstances + uint64(instance)%mostInstances
}

// InstanceOf is the instance that an identity was made for, modulo 65,536.
func InstanceOf(identity uint64) int { return int(identity % mostInstances) }

// Claim prepares a volume for its owner and returns the identity that its stamps carry. It
// fails if the volume is already claimed.
func (r *Root) Claim(o Owner) (volume uint64, err error) {
	id := identity{o, NewIdentity(o.Instance)}
	text, err := json.Marshal(id)
	if err != nil {
		return 0, err
	}
	f, err := r.root.OpenFile(identityFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return 0, r.notEmpty(identityFile)
	}
	if err != nil {
		return 0, Classify(mounts.NameFull(err, filepath.Join(r.path, identityFile)))
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return 0, errors.Join(Classify(mounts.NameFull(err, filepath.Join(r.path, identityFile))), r.Remove(identityFile))
	}
	return id.Volume, nil
}

// Release undoes Claim.
func (r *Root) Release() error { return r.Remove(identityFile) }

// Identity returns the identity that Claim returned. It fails if the volume was prepared
// for another owner, or is no longer there.
func (r *Root) Identity(o Owner) (volume uint64, err error) {
	f, err := r.root.Open(identityFile)
	if errors.Is(err, os.ErrNotExist) {
		return 0, classifiedError{fmt.Errorf("%s was not prepared, or another file system is there now: it has no file %s", r.path, identityFile), VolumeGone}
	}
	if err != nil {
		return 0, Classify(err)
	}
	text, err := io.ReadAll(io.LimitReader(f, longestIdentity))
	if err = errors.Join(err, f.Close()); err != nil {
		return 0, Classify(err)
	}
	var found identity
	if err := json.Unmarshal(text, &found); err != nil {
		return 0, fmt.Errorf("%s in %s was not written by Plimsoll: %w", identityFile, r.path, err)
	}
	if found.Owner != o {
		return 0, fmt.Errorf("%s was prepared for %s, instance %d (%s), not for %s, instance %d (%s)",
			r.path, found.Workload, found.Instance, found.Shape, o.Workload, o.Instance, o.Shape)
	}
	return found.Volume, nil
}
