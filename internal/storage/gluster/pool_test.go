package gluster

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/mounts"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/peers"
	"plimsoll/test/nightly"
	"plimsoll/test/quick"
)

// pool brings a pool up and takes it down again, and looks for leftovers.
func pool(t *testing.T, p Parameters) *Pool {
	t.Helper()
	made := newPool(t, p)
	if err := made.Up(context.Background()); err != nil {
		t.Fatal(err)
	}
	return made
}

// newPool makes a pool that is not up yet. Pools spend much of their time waiting, so
// several tests run at once.
func newPool(t *testing.T, p Parameters) *Pool {
	t.Helper()
	quick.Skip(t, quick.Media)
	t.Parallel()
	if err := (Kind{}).Usable(&p); err != nil {
		t.Skip(err)
	}
	run := fmt.Sprintf("glustertest-%d-%d", os.Getpid(), time.Now().UnixNano()%1e6)
	// Bricks need extended attributes of the trusted kind: a real file system.
	dir, err := os.MkdirTemp("/var/tmp", "plimsoll-test-")
	if err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(filepath.Join(dir, "journal"), run)
	if err != nil {
		t.Fatal(err)
	}
	class, err := Kind{}.New("pool", &p, storage.Env{
		RunID: run, Scratch: filepath.Join(dir, journal.Name(run), "s"), Journal: j, Log: slog.New(slog.DiscardHandler), Executable: executable(t),
		PowerCuts: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	made := class.(*Pool)
	t.Cleanup(func() {
		if err := made.Down(context.Background()); err != nil {
			t.Error(err)
		}
		j.Close()
		if left := journal.Leftovers(run); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		_ = os.RemoveAll(dir)
	})
	return made
}

// heals waits until the pool is healthy, and shows what a pool that does not heal says of itself.
func heals(t *testing.T, p *Pool) {
	t.Helper()
	err := peers.Poll(t.Context(), 10*time.Minute, "the pool to heal", func() (bool, error) { return p.Healthy(t.Context()) })
	if err == nil {
		return
	}
	for _, v := range p.all() {
		for _, question := range [][]string{{"heal", v.name, "info"}, {"heal", v.name}, {"status", v.name}} {
			answer, refused := p.gluster(t.Context(), append([]string{"volume"}, question...)...)
			t.Logf("gluster volume %s: %s (%v)", strings.Join(question, " "), answer, refused)
		}
	}
	t.Fatal(err)
}

func executable(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func write(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(strings.Repeat("load line\n", 1000)); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// Every geometry serves files, even with as many bricks stopped as it is said to survive.
// This holds with one process for each brick, and with one process for all bricks of a
// peer, where stopping a brick leaves the peer's others running.
func TestVolumesSurviveWhatTheirGeometrySays(t *testing.T) {
	for _, c := range []struct {
		geometry  string
		bricks    int
		multiplex string
	}{{"replica 3", 1, "on"}, {"replica 3", 1, "off"}, {"4+2", 2, "on"}} {
		t.Run(c.geometry+" multiplexed "+c.multiplex, func(t *testing.T) {
			ctx := context.Background()
			p := pool(t, Parameters{Peers: 3, Bricks: c.bricks, Geometry: c.geometry, Access: accessNative, Deployment: decoupled,
				Options: map[string]string{multiplex: c.multiplex}})
			v, err := p.Provision(ctx, storage.Claim{Name: "db-000"})
			if err != nil {
				t.Fatal(err)
			}
			serving := servers(p.machines.Peer(1))
			if len(serving) == 0 || slices.ContainsFunc(serving, func(s server) bool { return s.multiplexed != (c.multiplex == "on") }) {
				t.Errorf("the bricks are served by %+v", serving)
			}
			write(t, filepath.Join(v.Path, "before"))
			for n := range p.geometry.Survives() {
				if err := inject(ctx, p, fmt.Sprintf("stop brick %d", n+1)); err != nil {
					t.Fatal(err)
				}
			}
			write(t, filepath.Join(v.Path, "during"))
			for _, name := range []string{"before", "during"} {
				if text, err := os.ReadFile(filepath.Join(v.Path, name)); err != nil || len(text) != 10_000 {
					t.Errorf("%s: %d bytes, %v", name, len(text), err)
				}
			}
			if err := p.Delete(ctx, v); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestPeerThatIsKilledComesBackAndHeals(t *testing.T) {
	ctx := context.Background()
	p := pool(t, Parameters{Peers: 3, Bricks: 1, Geometry: "replica 3", Access: accessNative, Deployment: decoupled})
	v, err := p.Provision(ctx, storage.Claim{Name: "db-000"})
	if err != nil {
		t.Fatal(err)
	}
	if err := inject(ctx, p, "kill peer 2"); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(v.Path, "while it was away"))
	if healthy, err := p.Healthy(ctx); err != nil || healthy {
		t.Fatalf("healthy with a dead peer: %v, %v", healthy, err)
	}
	if err := inject(ctx, p, "restart peer 2"); err != nil {
		t.Fatal(err)
	}
	heals(t, p)
}

func TestAResultSaysWhichNFSClientItHad(t *testing.T) {
	for kernel, want := range map[bool]struct{ fs, text string }{
		true:  {"nfs", "by the kernel's client"},
		false: {"fuse.plimsoll-nfs", "by Plimsoll's own client"},
	} {
		p := &Pool{p: &Parameters{Peers: 1, Bricks: 1, Access: accessNFS}, machines: peers.New(peers.Config{}), kernelNFS: kernel}
		d := p.Describe()
		noted := strings.Contains(strings.Join(d.Notes, "\n"), "this kernel has no NFS client")
		if d.FileSystem != want.fs || !strings.Contains(d.Text, want.text) || noted == kernel {
			t.Errorf("with the kernel's client %t: %+v", kernel, d)
		}
	}
}

// checkMountType compares the type of file system that a pool describes with the one that the kernel reports.
func checkMountType(t *testing.T, p *Pool, v storage.Volume) {
	t.Helper()
	mount, err := mounts.Find(v.Path)
	if err != nil {
		t.Fatal(err)
	}
	if d := p.Describe(); mount.Type != d.FileSystem {
		t.Errorf("mounted as %s, described as %s", mount.Type, d.FileSystem)
	}
}

func TestRejectedOptionShowsGlustersOwnWords(t *testing.T) {
	p := pool(t, Parameters{Peers: 1, Bricks: 1, Geometry: "distributed 1", Access: accessNative, Deployment: decoupled, Options: map[string]string{"performance.no-such-thing": "on"}})
	_, err := p.Provision(context.Background(), storage.Claim{Name: "db-000"})
	if err == nil || !strings.Contains(err.Error(), "no-such-thing") {
		t.Fatalf("error: %v", err)
	}
}

func TestSixteenVolumesOnAPool(t *testing.T) {
	nightly.Only(t, "TestConformance/replica 3/clones side by side, with twelve volumes")
	ctx := context.Background()
	p := pool(t, Parameters{Peers: 3, Bricks: 1, Geometry: "replica 3", Access: accessNative, Deployment: decoupled})
	for n := range 16 {
		began := time.Now()
		v, err := p.Provision(ctx, storage.Claim{Name: fmt.Sprintf("db-%03d", n)})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("volume %d after %s", n, time.Since(began))
		write(t, filepath.Join(v.Path, "file"))
	}
	for _, n := range p.Nodes() {
		t.Logf("%s: %d processes, %d MiB", n.Name, len(n.PIDs), proportional(n.PIDs)>>20)
	}
}

// proportional is the memory of processes with their shared memory divided between its
// users.
func proportional(pids []int) (bytes int64) {
	for _, pid := range pids {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			var kib int64
			if n, _ := fmt.Sscanf(line, "Pss: %d kB", &kib); n == 1 {
				bytes += kib << 10
			}
		}
	}
	return bytes
}

// inject does an event as a study writes it.
func inject(ctx context.Context, p *Pool, text string) error {
	e, err := Kind{}.Events(p.p).Parse(text)
	if err != nil {
		return err
	}
	return p.Do(ctx, e, nil)
}
