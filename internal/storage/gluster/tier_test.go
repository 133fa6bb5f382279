package gluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
)

// The tier of one brick is lost with what only it has: the volume goes on with the
// other copies, and when the tier is back all copies become alike again.
func TestLostTierOfABrick(t *testing.T) {
	p := pool(t, Parameters{Peers: 3, Bricks: 1, Geometry: "replica 3", Access: accessNative, Deployment: decoupled,
		Disk: &disk.Parameters{Media: "hdd-7200", Size: 1 << 30, Tier: &disk.Tier{Size: 256 << 20}}})
	ctx := context.Background()
	v, err := p.Provision(ctx, storage.Claim{Name: "db-000"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Settle(ctx); err != nil {
		t.Fatal(err)
	}
	if d := p.Describe(); d.Media != "hdd-7200 behind a simulated cache on nvme" || !d.Simulated || len(p.Devices()) != 9 {
		t.Errorf("%+v; %+v", d, p.Devices())
	}
	file := func(n int) {
		t.Helper()
		if err := flushed(filepath.Join(v.Path, fmt.Sprintf("file-%d", n)), bytes.Repeat([]byte{byte(n + 1)}, 64<<10)); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 4 {
		file(n)
	}
	if work, err := p.TierWork(ctx); err != nil || work.Dirty < 3*4*64<<10 {
		t.Errorf("%+v, %v", work, err)
	}
	if note := disk.LossNote(p.p.Disk); note == "" {
		t.Error("nobody says what a lost tier means")
	}
	if err := inject(ctx, p, "lose tier 2"); err != nil {
		t.Fatal(err)
	}
	for n := range 4 {
		file(4 + n)
	}
	// The kernel would do this within half a minute: the brick's file system cannot write its memory out, and
	// forgets files that it has made. No other copy notices.
	failed, err := os.Open(p.brick(2).Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(unix.Syncfs(int(failed.Fd())), failed.Close()); err == nil {
		t.Error("a file system without its medium was written out")
	}
	done, err := p.Repair(ctx)
	if err != nil || len(done) != 1 || done[0] != "restore tier 2" {
		t.Fatalf("%v, %v", done, err)
	}
	heals(t, p)
	copies, err := p.CheckCopies(ctx, storage.Volume{Name: v.Name})
	if err != nil || copies.Files != 8 || len(copies.Different) > 0 {
		t.Errorf("%+v, %v", copies, err)
	}
}

func TestPendingEntries(t *testing.T) {
	summary := "Brick a:/b\nStatus: Connected\nTotal Number of entries: 4\nNumber of entries in heal pending: 4\n\nBrick c:/d\nStatus: Connected\nTotal Number of entries: 3\n\nBrick e:/f\nStatus: Transport endpoint is not connected\nTotal Number of entries: -\n"
	if n := pending(summary); n != 7 {
		t.Errorf("%d", n)
	}
}
