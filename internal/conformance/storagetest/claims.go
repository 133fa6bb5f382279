package storagetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"plimsoll/internal/storage"
)

// Claims is a class whose volumes are claims of a cluster, under test.
type Claims struct {
	// New makes the class in an environment, whose Claims it fills in.
	New func(storage.Env) (storage.Class, error)
	// Reach has a volume used, which binds it, and gives a directory with its contents.
	Reach func(context.Context, storage.Volume) (string, error)
	// There says whether a claim is.
	There func(context.Context, storage.Volume) bool
	// Sweep removes what a killed run left there, by its journal alone.
	Sweep func(context.Context, storage.Env) error
}

// RunClaims checks a class of claims: what of the suite applies where volumes are
// reached by the pods of a cluster alone.
func RunClaims(t *testing.T, c Claims) {
	t.Helper()
	for _, p := range []struct {
		name string
		run  func(*testing.T, *claimBench)
	}{
		{"up and down are idempotent", func(t *testing.T, b *claimBench) { idempotent(t, b.bench) }},
		{"refuses bad names", func(t *testing.T, b *claimBench) { refusesBadNames(t, b.bench) }},
		{"is swept after a crash", claimsAreSwept},
		{"describes itself", describesClaims},
		{"provisions and deletes", provisionsClaims},
		{"clones, or says why not", clonesClaims},
		{"leaves nothing when it is interrupted", interruptedClaims},
	} {
		t.Run(p.name, func(t *testing.T) { p.run(t, &claimBench{newBench(t, c.New), c}) })
	}
}

type claimBench struct {
	*bench
	of Claims
}

func describesClaims(t *testing.T, b *claimBench) {
	b.up()
	d := b.class.Describe()
	if d.Class == "" || d.FileSystem == "" || d.Text == "" || d.Protection == "" || d.Options["provisioner"] == "" {
		t.Errorf("the description is not complete: %+v", d)
	}
}

func provisionsClaims(t *testing.T, b *claimBench) {
	b.up()
	v, err := b.class.Provision(b.ctx, storage.Claim{Name: "one"})
	b.must("provision", err)
	if v.Name != "one" || v.Claim == "" || v.Path == "" {
		t.Errorf("%+v is no claim with a path", v)
	}
	dir, err := b.of.Reach(b.ctx, v)
	b.must("reach the volume", err)
	if inside, err := os.ReadDir(dir); err != nil || len(inside) != 0 {
		t.Errorf("a new volume holds %v (%v)", inside, err)
	}
	if _, err := b.class.Provision(b.ctx, storage.Claim{Name: "one"}); err == nil {
		t.Error("one name was given twice")
	}
	_, err = b.class.Settle(b.ctx)
	b.must("settle", err)
	b.must("delete", b.class.Delete(b.ctx, v))
	b.must("delete twice", b.class.Delete(b.ctx, v))
	if b.of.There(b.ctx, v) {
		t.Error("the claim is there after it was deleted")
	}
	_, err = b.class.Provision(b.ctx, storage.Claim{Name: "one"})
	b.must("provision again", err)
}

// golden is a volume of the class that holds a data set.
func (b *claimBench) golden() (dir string) {
	v, err := b.class.Provision(b.ctx, storage.Claim{Name: "golden"})
	b.must("provision", err)
	dir, err = b.of.Reach(b.ctx, v)
	b.must("reach the golden volume", err)
	b.must("fill the golden volume", os.CopyFS(dir, os.DirFS(b.goldenFiles())))
	b.must("import", b.class.Import(b.ctx, "key", v.Name))
	b.must("import twice", b.class.Import(b.ctx, "key", v.Name))
	return dir
}

// goldenFiles are some files as a database has them, without the links that
// os.CopyFS does not take.
func (b *claimBench) goldenFiles() string {
	root := b.t.TempDir()
	b.must("make a directory", os.Mkdir(filepath.Join(root, "base"), 0o700))
	b.must("write", os.WriteFile(filepath.Join(root, "PG_VERSION"), []byte("15\n"), 0o600))
	b.must("write", os.WriteFile(filepath.Join(root, "base", "table"), []byte(strings.Repeat("0123456789abcdef", 40000)), 0o600))
	return root
}

func clonesClaims(t *testing.T, b *claimBench) {
	b.up()
	ways := b.class.Capabilities().Clones
	if ways == nil {
		t.Fatal("a class of claims can only clone its own volumes, and does not say so")
	}
	by, whyNot, err := ways(b.ctx)
	b.must("ask whether it clones", err)
	if (by == "") == (whyNot == "") {
		t.Fatalf("it clones by %q and does not because %q", by, whyNot)
	}
	golden := b.golden()
	if by == "" {
		t.Log("it does not clone: " + whyNot)
		if _, err := b.class.Clone(b.ctx, "key", storage.Claim{Name: "one"}); err == nil {
			t.Error("it clones nevertheless")
		}
		return
	}
	t.Log("it clones by " + by)
	if _, err := b.class.Clone(b.ctx, "another", storage.Claim{Name: "three"}); err == nil {
		t.Error("a golden volume that was not imported was cloned")
	}
	if err := b.class.Import(b.ctx, "other", "nowhere"); err == nil {
		t.Error("a volume that is not there was imported")
	}
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() { b.clone(golden, fmt.Sprintf("v%d", i)) })
	}
	all.Wait()
}

func (b *claimBench) clone(golden, name string) {
	v, err := b.class.Clone(b.ctx, "key", storage.Claim{Name: name})
	if err != nil {
		b.t.Errorf("clone: %v", err)
		return
	}
	dir, err := b.of.Reach(b.ctx, v)
	if err != nil {
		b.t.Errorf("reach the clone: %v", err)
		return
	}
	compare(b.t, golden, dir)
}

func interruptedClaims(t *testing.T, b *claimBench) {
	b.up()
	ctx, cancel := context.WithCancel(b.ctx)
	cancel()
	if _, err := b.class.Provision(ctx, storage.Claim{Name: "one"}); err == nil {
		t.Error("a volume was made although it was cancelled")
	}
	v, err := b.class.Provision(b.ctx, storage.Claim{Name: "one"})
	b.must("provision again", err)
	if err := b.class.Delete(ctx, v); err == nil {
		t.Error("a volume was deleted although it was cancelled")
	}
}

// claimsAreSwept leaves everything as a killed Plimsoll would and cleans by the
// journal alone.
func claimsAreSwept(t *testing.T, b *claimBench) {
	b.up()
	v, err := b.class.Provision(b.ctx, storage.Claim{Name: "one"})
	b.must("provision", err)
	b.must("sweep", b.of.Sweep(b.ctx, b.env))
	if b.of.There(b.ctx, v) {
		t.Error("the claim is still there")
	}
}
