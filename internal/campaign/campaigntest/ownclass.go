package campaigntest

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"plimsoll/internal/storage"
	"plimsoll/internal/study"
)

// OwnClassName is the storage class whose instances clone none but its own volumes.
const OwnClassName = "fakeown"

// OwnParameters are the parameters of the class.
type OwnParameters struct {
	NoClones string `json:"no_clones,omitempty"` // why it does not clone, if it does not
}

// OnOwnClass has the volumes of a variant be of that class.
func OnOwnClass(v study.Variant, p OwnParameters) study.Variant {
	v.StorageName, v.Storages = "own", map[string]study.Storage{"own": {Class: OwnClassName, Parameters: &p}}
	return v
}

type ownKind struct{ classKind }

func (ownKind) Name() string  { return OwnClassName }
func (ownKind) Defaults() any { return &OwnParameters{} }

func (k ownKind) New(name string, parameters any, env storage.Env) (storage.Class, error) {
	if err := k.w.call("Class.New", name); err != nil {
		return nil, err
	}
	why := parameters.(*OwnParameters).NoClones
	return &ownClass{class: &class{w: k.w, env: env}, noClones: why, golden: map[string]string{}}, nil
}

// ownClass clones its own volumes.
type ownClass struct {
	*class
	noClones string

	mu     sync.Mutex
	golden map[string]string // paths by key
}

func (c *ownClass) Capabilities() storage.Capabilities {
	can := c.class.Capabilities()
	can.Clones = c.Clones
	return can
}

func (c *ownClass) Clones(context.Context) (by, whyNot string, err error) {
	if err := c.w.call("Class.Clones", ""); err != nil {
		return "", "", err
	}
	if c.noClones != "" {
		return "", c.noClones, nil
	}
	return "volume clone", "", nil
}

func (c *ownClass) Import(_ context.Context, key, source string) error {
	if err := c.w.call("Class.Import", key); err != nil {
		return err
	}
	path := filepath.Join(c.volumes(), source)
	if err := c.w.volume(path, func(*volume) error { return nil }); err != nil {
		return fmt.Errorf("no volume %s: %w", source, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.golden[key] = path
	return nil
}

func (c *ownClass) Clone(_ context.Context, key string, claim storage.Claim) (storage.Volume, error) {
	name := claim.Name
	if err := c.w.call("Class.Clone", name); err != nil {
		return storage.Volume{}, err
	}
	c.mu.Lock()
	from := c.golden[key]
	c.mu.Unlock()
	if user := c.w.userOf(from); user != "" {
		return storage.Volume{}, fmt.Errorf("the golden volume is in use by %s", user)
	}
	at := filepath.Join(c.class.volumes(), name)
	return storage.Volume{Name: name, Path: at}, c.copyVolume(from, at)
}
