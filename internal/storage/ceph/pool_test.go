package ceph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/peers"
	"plimsoll/test/nightly"
	"plimsoll/test/quick"
)

// pool brings a cluster up; it is taken down with the test, which looks for leftovers.
func pool(t *testing.T, p *Parameters) *Pool {
	t.Helper()
	if err := (Kind{}).Usable(p); err != nil {
		t.Skip(err)
	}
	env, _ := environment(t)
	made := class(t, p, env).(*Pool)
	if err := made.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	return made
}

// environment is one of the test's own, with the path of its journal. It looks for leftovers
// in the end.
func environment(t *testing.T) (env storage.Env, path string) {
	t.Helper()
	run := fmt.Sprintf("cephtest-%d-%d", os.Getpid(), time.Now().UnixNano()%1e6)
	path = filepath.Join(t.TempDir(), "journal")
	j, err := journal.Open(path, run)
	if err != nil {
		t.Fatal(err)
	}
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		j.Close()
		if left := journal.Leftovers(run); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		if state, err := journal.Read(path); err != nil || len(state.Objects) > 0 {
			t.Errorf("the journal still has %v, %v", state.Objects, err)
		}
	})
	return storage.Env{
		RunID: run, Scratch: filepath.Join(filepath.Dir(path), journal.Name(run), "s"), Journal: j, Log: slog.New(slog.DiscardHandler),
		Executable: executable, PowerCuts: true,
	}, path
}

// class makes one that is taken down with the test.
func class(t *testing.T, p *Parameters, env storage.Env) storage.Class {
	t.Helper()
	made, err := Kind{}.New("pool", p, env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := made.Down(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return made
}

// flushed writes a file and flushes it.
func flushed(path, text string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// A killed run leaves a program that waits for a cluster which is gone with the run.
func TestAProgramOfAKilledRunIsSwept(t *testing.T) {
	t.Parallel()
	env, path := environment(t)
	c := &clients{name: "pool", env: env, cluster: cluster{command: here}}
	if err := c.makeDirectories(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := c.run(context.Background(), "sleep", "600")
		ended <- err
	}()
	err := peers.Poll(t.Context(), time.Minute, "the program to run", func() (bool, error) { return len(journal.Leftovers(env.RunID)) > 0, nil })
	if err != nil {
		t.Fatal(err)
	}
	swept(t, env, path)
	if err := <-ended; err == nil {
		t.Error("the program went on")
	}
	if err := c.removeDirectories(); err != nil {
		t.Error(err)
	}
}

// One cluster bears every fault one after the other: what was flushed is there after each,
// and the cluster heals.
func TestFaults(t *testing.T) {
	quick.Skip(t, quick.Media)
	t.Parallel()
	p := Kind{}.Defaults().(*Parameters)
	p.Disk, p.ImageSize = small(), 512<<20
	c := pool(t, p)
	ctx := t.Context()
	v, err := c.Provision(ctx, storage.Claim{Name: "db-000"})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(c.env.Scratch); err != nil || info.Mode().Perm() != 0o711 {
		t.Errorf("the owners of volumes cannot pass through the directory of the cluster: %v, %v", info.Mode(), err)
	}
	heals(t, c)
	metered(t, c)
	snapshots(t, c)
	c.Happened()
	for n, action := range []string{"kill osd 2", "kill peer 3", "cut power peer 1", "cut link 2", "out osd 3"} {
		t.Run(action, func(t *testing.T) {
			if part, power := strings.CutPrefix(action, "cut power "); power {
				loss, err := c.CutPower(ctx, part, 1)
				if err != nil {
					t.Fatal(err)
				}
				t.Log(loss)
			} else if err := inject(ctx, c, action); err != nil {
				t.Fatal(err)
			}
			if healthy, err := c.Healthy(ctx); err != nil || healthy {
				t.Errorf("healthy after %s: %v, %v", action, healthy, err)
			}
			if err := flushed(filepath.Join(v.Path, fmt.Sprint(n)), strings.Repeat("load line\n", 1000)); err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				degrades(t, c)
			}
			done, err := c.Repair(ctx)
			if err != nil || len(done) != 1 {
				t.Fatalf("repaired %q, %v", done, err)
			}
			heals(t, c)
			if said := fmt.Sprint(c.Happened()); n == 0 && (!strings.Contains(said, "degraded; objects") || !strings.Contains(said, "none degraded any more")) {
				t.Errorf("what happened: %s", said)
			}
			for before := range n + 1 {
				if text, err := os.ReadFile(filepath.Join(v.Path, fmt.Sprint(before))); err != nil || len(text) != 10_000 {
					t.Errorf("file %d: %d bytes, %v", before, len(text), err)
				}
			}
		})
	}
}

// A snapshot of a volume that is written to breaks nothing, and goes with the volume.
func snapshots(t *testing.T, c *Pool) {
	t.Helper()
	v, err := c.Provision(t.Context(), storage.Claim{Name: "db-001"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := Kind{}.Events(c.p).Parse("snapshot instance 1")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.Do(t.Context(), e, []storage.Volume{v}); err != nil {
			t.Fatal(err)
		}
		if err := flushed(filepath.Join(v.Path, "file"), strings.Repeat("load line\n", 1000)); err != nil {
			t.Error(err)
		}
	}
	if out, err := c.run(t.Context(), "rbd", "snap", "ls", c.images+"/db-001"); err != nil || !bytes.Contains(out, []byte("event-2")) {
		t.Errorf("the snapshots: %s, %v", out, err)
	}
	if err := c.Do(t.Context(), e, []storage.Volume{{Name: "db-999"}}); err == nil {
		t.Error("there is a snapshot of a volume that does not exist")
	}
	if err := c.Delete(t.Context(), v); err != nil {
		t.Error(err)
	}
}

func heals(t *testing.T, c *Pool) {
	t.Helper()
	if err := peers.Poll(t.Context(), 5*time.Minute, "the cluster to heal", func() (bool, error) { return c.Healthy(t.Context()) }); err != nil {
		s, statusErr := c.status(t.Context())
		t.Fatalf("%v: %v, %v", err, s, statusErr)
	}
}

// A cluster that becomes full under a writer is named when the next trial is to begin, and
// goes down although what was written cannot be.
func TestAFullCluster(t *testing.T) {
	t.Parallel()
	nightly.Only(t, "TestExisting with a pool that is full")
	p := Kind{}.Defaults().(*Parameters)
	p.ImageSize = 512 << 20
	c := pool(t, p)
	v := provision(t, c, "one")
	if _, err := c.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.ceph(t.Context(), nil, "osd", "pool", "set-quota", c.images, "max_bytes", "1"); err != nil {
		t.Fatal(err)
	}
	err := peers.Poll(t.Context(), 2*time.Minute, "the cluster to be full", func() (bool, error) {
		all := c.Doubts(t.Context())
		return len(all) > 0 && strings.Contains(all[0].Said.Text, "POOL_FULL"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(v.Path, "file"), bytes.Repeat([]byte("plimsoll"), 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Settle(t.Context()); err == nil || !strings.Contains(err.Error(), "POOL_FULL") {
		t.Errorf("settled on a full cluster: %v", err)
	}
}

// An erasure code over OSDs of one node, with metadata on a disk of their own; volumes are
// devices.
func TestErasureCodeOnDevices(t *testing.T) {
	quick.Skip(t, quick.Media)
	t.Parallel()
	metadata := *small()
	metadata.Size = 6 << 30
	c := pool(t, &Parameters{
		Nodes: 1, OSDs: 3, CPU: 2, Memory: leastMemory, Replicas: 2, Erasure: "2+1", Disk: small(), MetadataDisk: &metadata,
		Access: accessDevice, ImageSize: 512 << 20, Options: map[string]string{"osd_max_backfills": "4"},
	})
	ctx := t.Context()
	v, err := c.Provision(ctx, storage.Claim{Name: "raw", Kind: endpoint.Device})
	if err != nil {
		t.Fatal(err)
	}
	if at, err := endpoint.As[endpoint.Volume](v.Endpoint()); err != nil || at.Bytes != 512<<20 {
		t.Errorf("%+v, %v", at, err)
	}
	want := slices.Repeat([]byte("plimsoll"), 1<<17)
	f, err := os.OpenFile(v.Path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(want, 0)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Settle(ctx); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(want))
	f, err = os.Open(v.Path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.ReadAt(got, 0)
	if err := errors.Join(err, f.Close()); err != nil || !slices.Equal(got, want) {
		t.Errorf("other bytes came back, %v", err)
	}
	roles := map[string]int{}
	for _, d := range c.Devices() {
		roles[d.Role]++
	}
	if roles["osd"] != 3 || roles["metadata"] != 1 {
		t.Errorf("devices: %v", roles)
	}
	d := c.Describe()
	if d.Protection != "erasure code 2+1" || d.Options["version"] == "" {
		t.Errorf("%+v", d)
	}
	if h := d.Hints[len(d.Hints)-1]; h.Parameter != "cpu" || h.From != "2" || h.To != "4" {
		t.Errorf("the OSDs of a node share its limit, and the hint is %+v", h)
	}
	t.Log(d.Text, d.Notes)
	if err := c.Delete(ctx, v); err != nil {
		t.Error(err)
	}
}

// inject does an event as a study writes it.
func inject(ctx context.Context, p *Pool, text string) error {
	e, err := Kind{}.Events(p.p).Parse(text)
	if err != nil {
		return err
	}
	return p.Do(ctx, e, nil)
}
