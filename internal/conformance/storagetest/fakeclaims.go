package storagetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/storage"
)

// FakeClaims are claims that are directories of this machine, of one class.
type FakeClaims struct {
	Class storage.ClaimClass
	// NoClones and NoSnapshots say why the class cannot; empty is that it can.
	NoClones, NoSnapshots string
	Dir                   string
	Journal               *journal.Journal

	Tried int // TryClone
}

var _ storage.Claims = (*FakeClaims)(nil)

// ClaimClass implements storage.Claims.
func (f *FakeClaims) ClaimClass(_ context.Context, name string) (storage.ClaimClass, error) {
	if name != "" && name != f.Class.Name {
		return storage.ClaimClass{}, fmt.Errorf("the cluster has no StorageClass %s; it has %s", name, f.Class.Name)
	}
	return f.Class, nil
}

// MakeClaim implements storage.Claims.
func (f *FakeClaims) MakeClaim(ctx context.Context, c storage.PlatformClaim) (storage.Volume, error) {
	if ctx.Err() != nil {
		return storage.Volume{}, ctx.Err()
	}
	v := storage.Volume{Name: c.Name, Claim: "claim-" + c.Name, Path: "/volumes/claim-" + c.Name}
	if err := f.Journal.Making(f.object(v)); err != nil {
		return v, err
	}
	if err := os.Mkdir(f.Directory(v), 0o700); err != nil {
		return v, err
	}
	if c.From == nil {
		return v, nil
	}
	if why := f.cannot(c.BySnapshot); why != "" {
		return v, errors.Join(errors.New(why), f.DeleteClaim(ctx, v))
	}
	return v, os.CopyFS(f.Directory(v), os.DirFS(f.Directory(*c.From)))
}

// DeleteClaim implements storage.Claims.
func (f *FakeClaims) DeleteClaim(ctx context.Context, v storage.Volume) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := os.RemoveAll(f.Directory(v)); err != nil {
		return err
	}
	return f.Journal.Removed(f.object(v))
}

// TryClone implements storage.Claims.
func (f *FakeClaims) TryClone(ctx context.Context, _ string, bySnapshot bool) (ok bool, why string, err error) {
	f.Tried++
	why = f.cannot(bySnapshot)
	return why == "", why, ctx.Err()
}

func (f *FakeClaims) cannot(bySnapshot bool) string {
	if bySnapshot {
		return f.NoSnapshots
	}
	return f.NoClones
}

// Directory has the contents of a volume.
func (f *FakeClaims) Directory(v storage.Volume) string { return filepath.Join(f.Dir, v.Claim) }

func (f *FakeClaims) object(v storage.Volume) journal.Object {
	return journal.Object{Kind: journal.Directory, Name: v.Claim, Path: f.Directory(v)}
}
