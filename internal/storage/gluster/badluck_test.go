package gluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/storage/peers"
)

func TestWhatNoPoolCanBeIsRefusedBeforeItIsMade(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Parameters)
		field  string
		want   string
	}{
		"too few bricks":         {func(p *Parameters) { p.Geometry = "4+2" }, "geometry", "needs 6 bricks"},
		"unsupported geometry":   {func(p *Parameters) { p.Peers, p.Geometry = 4, "2+2" }, "geometry", "more data bricks than redundancy"},
		"no geometry":            {func(p *Parameters) { p.Geometry = "raid 6" }, "geometry", "is not a geometry"},
		"access":                 {func(p *Parameters) { p.Access = "smb" }, "access", "native or nfs"},
		"deployment":             {func(p *Parameters) { p.Deployment = "both" }, "deployment", "coupled or decoupled"},
		"link":                   {func(p *Parameters) { p.Link = "fast" }, "link", "is not a rate"},
		"a file in an option":    {func(p *Parameters) { p.Options = map[string]string{"nfs.mount-rmtab": "/etc/cron.d/x"} }, "options", "may not name files"},
		"a program in an option": {func(p *Parameters) { p.Options = map[string]string{"nfs.rpc-statd": "statd"} }, "options", "may not name files"},
		"a flag as an option":    {func(p *Parameters) { p.Options = map[string]string{"performance.cache-size": "--log-file=x"} }, "options", "may not name files"},
		"option":                 {func(p *Parameters) { p.Options = map[string]string{"cache": "on"} }, "options", "is not the name"},
		"mount option":           {func(p *Parameters) { p.MountOptions = map[string]string{"volfile": "x"} }, "mount_options", "attribute-timeout"},
		"mount value":            {func(p *Parameters) { p.MountOptions = map[string]string{"lru-limit": "1 --debug"} }, "mount_options", "not supported"},
		"mount option of NFS":    {func(p *Parameters) { p.Access, p.MountOptions = accessNFS, map[string]string{"lru-limit": "1"} }, "mount_options", "native client's"},
		"disk":                   {func(p *Parameters) { p.Disk = &disk.Parameters{Media: "tape"} }, "disk.media", "tape"},
	} {
		t.Run(name, func(t *testing.T) {
			p := Kind{}.Defaults().(*Parameters)
			c.change(p)
			bad := Kind{}.Validate(p)
			if !slices.ContainsFunc(bad, func(e describe.Problem) bool { return e.Path == c.field && strings.Contains(e.Text, c.want) }) {
				t.Errorf("found %v, want %s: %s", bad, c.field, c.want)
			}
		})
	}
}

// until waits for something that another goroutine does.
func until(t *testing.T, what string, ready func() bool) {
	t.Helper()
	if err := peers.Poll(context.Background(), 2*time.Minute, what, func() (bool, error) { return ready(), nil }); err != nil {
		t.Fatal(err)
	}
}

// killObject kills the processes of an object of the pool's run.
func killObject(t *testing.T, p *Pool, suffix string) bool {
	t.Helper()
	killed := false
	for _, f := range journal.Processes(p.env.RunID) {
		if strings.HasSuffix(f.Object, suffix) {
			_ = syscall.Kill(f.PID, syscall.SIGKILL) // gone already is as good
			killed = true
		}
	}
	return killed
}

func TestPeerThatDiesWhileThePoolFormsIsNamed(t *testing.T) {
	p := newPool(t, Parameters{Peers: 3, Bricks: 1, Geometry: "replica 3", Access: accessNative, Deployment: decoupled})
	up := make(chan error, 1)
	go func() { up <- p.Up(context.Background()) }()
	until(t, "peer 2 to start", func() bool { return killObject(t, p, "-peer2") })
	err := <-up
	if err == nil || !strings.Contains(err.Error(), "peer 2") {
		t.Fatalf("error: %v", err)
	}
	t.Log(err)
}

func TestFullBrickGivesAnError(t *testing.T) {
	p := pool(t, Parameters{Peers: 1, Bricks: 1, Geometry: "distributed 1", Access: accessNative, Deployment: decoupled,
		Disk: &disk.Parameters{Media: "ssd-sas", Size: 512 << 20}})
	v, err := p.Provision(context.Background(), storage.Claim{Name: "db-000"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(v.Path, "full"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	block := make([]byte, 16<<20)
	for written := 0; err == nil && written < 2<<30; written += len(block) {
		if _, err = f.Write(block); err == nil {
			err = f.Sync()
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a full brick gave: %v", err)
	}
}

func TestStaleMountIsTakenAway(t *testing.T) {
	for _, access := range []string{accessNative, accessNFS} {
		t.Run(access, func(t *testing.T) {
			ctx := context.Background()
			p := pool(t, Parameters{Peers: 1, Bricks: 1, Geometry: "distributed 1", Access: access, Deployment: decoupled})
			v, err := p.Provision(ctx, storage.Claim{Name: "db-000"})
			if err != nil {
				t.Fatal(err)
			}
			checkMountType(t, p, v)
			if !killObject(t, p, "-client-db-000") {
				t.Fatal("the volume has no client")
			}
			if p.kernelNFS {
				t.Skip("the kernel's mount does not go stale with the process that made it")
			}
			until(t, "the mount to go stale", func() bool {
				_, err := os.Stat(v.Path)
				return errors.Is(err, syscall.ENOTCONN) || errors.Is(err, syscall.ECONNABORTED)
			})
			if err := p.Delete(ctx, v); err != nil {
				t.Error(err)
			}
			if v, err = p.Provision(ctx, storage.Claim{Name: "db-000"}); err != nil {
				t.Fatalf("make it again: %v", err)
			}
			write(t, filepath.Join(v.Path, "file"))
		})
	}
}

// A coupled volume's client runs on a peer, inside its limits; killing the
// peer's daemons spares it.
func TestCoupledClientLivesOnAPeer(t *testing.T) {
	ctx := context.Background()
	p := pool(t, Parameters{Peers: 3, Bricks: 1, Geometry: "replica 3", Access: accessNative, Deployment: coupled, CPU: 1})
	v, err := p.Provision(ctx, storage.Claim{Name: "db-000"})
	if err != nil {
		t.Fatal(err)
	}
	if !p.machines.CPULimited() {
		t.Skip("this machine does not limit CPU")
	}
	if len(v.Cgroups) == 0 || p.volumes["db-000"].share == nil || len(p.volumes["db-000"].share.PIDs()) == 0 {
		t.Fatalf("the client is not on a peer: %v", v.Cgroups)
	}
	if err := inject(ctx, p, "kill peer 1"); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(v.Path, "while it was away"))
	done, err := p.Repair(ctx)
	if err != nil || !slices.Equal(done, []string{"restart peer 1"}) {
		t.Errorf("repaired %v, %v", done, err)
	}
}

// TestAPeersMemoryIsLimited: the daemons of a peer live with less memory than is written through them.
func TestAPeersMemoryIsLimited(t *testing.T) {
	ctx := t.Context()
	const limit = 256 << 20
	p := pool(t, Parameters{Peers: 3, Bricks: 1, Geometry: "replica 3", Access: accessNative, Deployment: decoupled, Memory: limit})
	v, err := p.Provision(ctx, storage.Claim{Name: "db-000"})
	if err != nil {
		t.Fatal(err)
	}
	if !p.machines.MemoryLimited() {
		t.Skip("this machine does not limit memory")
	}
	if text := p.Describe().Text; !strings.Contains(text, "256MiB of memory per peer") {
		t.Error(text)
	}
	block := make([]byte, 1<<20)
	file, err := os.Create(filepath.Join(v.Path, "data"))
	if err != nil {
		t.Fatal(err)
	}
	for range 400 {
		if _, err := file.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		t.Fatal(err)
	}
	for _, peer := range p.machines.Peers() {
		of := peer.Group.Directories()
		for _, files := range [][2]string{{"memory.limit_in_bytes", "memory.max_usage_in_bytes"}, {"memory.max", "memory.peak"}} {
			set, most := group(of, files[0]), group(of, files[1])
			if set >= 0 && set != limit || most > limit {
				t.Errorf("peer %d: %s is %d, %s is %d", peer.Number, files[0], set, files[1], most)
			}
		}
	}
	if healthy, err := p.Healthy(ctx); err != nil || !healthy {
		t.Errorf("healthy: %t, %v", healthy, err)
	}
}

// group reads a number of a control group; -1 where it has none of this name.
func group(directories map[string]string, name string) int64 {
	for _, directory := range directories {
		if text, err := os.ReadFile(filepath.Join(directory, name)); err == nil {
			n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
			if err == nil {
				return n
			}
		}
	}
	return -1
}

// A volume is refused while two peers do not see each other, although the first
// sees both.
func TestAPoolIsConnectedWhenEveryPeerSeesEveryOther(t *testing.T) {
	ctx := t.Context()
	p := pool(t, Parameters{Peers: 3, Bricks: 1, Geometry: "replica 3", Access: accessNative, Deployment: decoupled})
	if !p.connected(ctx) {
		t.Error("the pool is up and not connected")
	}
	if err := inject(ctx, p, "kill peer 3"); err != nil {
		t.Fatal(err)
	}
	way := func(verb string) {
		t.Helper()
		route := p.machines.Peer(2).Host.Command(ctx, "ip", "route", verb, "blackhole", p.machines.Peer(3).Host.Address+"/32")
		if out, err := route.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s: %v", route.Args, out, err)
		}
	}
	way("add")
	if err := inject(ctx, p, "restart peer 3"); err != nil {
		t.Fatal(err)
	}
	until(t, "the first peer to see both others", func() bool {
		out, err := p.gluster(ctx, "peer", "status")
		return err == nil && strings.Count(out, "Peer in Cluster (Connected)") == 2
	})
	if p.connected(ctx) {
		t.Error("the pool is said to be connected while peers 2 and 3 are not")
	}
	if v, err := p.Provision(ctx, storage.Claim{Name: "db-000"}); err == nil {
		t.Errorf("Gluster made volume %s while peers 2 and 3 were not connected", v.Name)
	}
	way("del")
	if _, err := p.Repair(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Provision(ctx, storage.Claim{Name: "db-001"}); err != nil {
		t.Error(err)
	}
}
