package peers

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
	"plimsoll/internal/storage"
)

// machines brings up two peers whose daemon does nothing but wait, and looks for
// leftovers at the end.
func machines(t *testing.T) *Machines {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root")
	}
	run := fmt.Sprintf("peerstest-%d-%d", os.Getpid(), time.Now().UnixNano()%1e6)
	dir := t.TempDir()
	j, err := journal.Open(filepath.Join(dir, "journal"), run)
	if err != nil {
		t.Fatal(err)
	}
	m := New(Config{
		Pool: "pool", Peers: 2, CPU: 1, Link: "1gbit", Disks: 2, DiskName: "osd",
		Env: storage.Env{RunID: run, Scratch: filepath.Join(dir, journal.Name(run), "s"), Journal: j, Log: slog.New(slog.DiscardHandler)},
		Daemon: Daemon{
			Name:    "waiter",
			Prepare: func(p *Peer) error { return os.RemoveAll(filepath.Join(p.Dir, "ready")) },
			Command: func(p *Peer) []string {
				return []string{"sh", "-c", `echo begun >>"$1/log"; touch "$1/ready"; exec sleep 1000`, "sh", p.Dir}
			},
			Answers: func(p *Peer) bool { _, err := os.Stat(filepath.Join(p.Dir, "ready")); return err == nil },
			Log:     "log",
		},
	})
	t.Cleanup(func() {
		if err := m.Down(context.Background()); err != nil {
			t.Error(err)
		}
		j.Close()
		if left := journal.Leftovers(run); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
	if err := m.Up(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := m.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	return m
}

// Machines serve a class that knows nothing of Gluster: daemons are killed and come
// back, links are cut and restored, and all have disks of their own.
func TestMachinesOfAnyDaemon(t *testing.T) {
	ctx := context.Background()
	m := machines(t)
	paths := map[string]bool{}
	for _, p := range m.Peers() {
		for _, d := range p.Disks {
			paths[d.Path] = true
		}
	}
	if len(paths) != 4 || len(m.Nodes()) != 2 {
		t.Errorf("disks %v; nodes %+v", paths, m.Nodes())
	}
	if err := m.Peer(2).Restart(ctx); err == nil {
		t.Error("a peer that runs was started again")
	}
	if err := m.Peer(2).Kill(ctx); err != nil {
		t.Fatal(err)
	}
	if err := m.Dead(); err == nil || !strings.Contains(err.Error(), "peer 2: waiter ended") || !strings.Contains(err.Error(), "begun") {
		t.Errorf("a peer was killed: %v", err)
	}
	if err := m.Peer(2).Restart(ctx); err != nil {
		t.Fatal(err)
	}
	state := func() string {
		out, err := m.Peer(2).Command(ctx, "ip", "-brief", "link").Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	whole := state()
	if err := m.CutLink(2); err != nil {
		t.Fatal(err)
	}
	if state() == whole {
		t.Errorf("a link that is cut looks as before: %s", whole)
	}
	if err := m.RestoreLink(2); err != nil {
		t.Fatal(err)
	}
	if _, err := CutPower(ctx, m.Peers(), 1); err == nil || !strings.Contains(err.Error(), "no simulated disk") {
		t.Errorf("the power of directories was cut: %v", err)
	}
}

func TestFaultsAreForgottenOnceRepaired(t *testing.T) {
	var f Faults
	f.Note("peer", 1)
	f.Note("peer", 1)
	f.Note("osd", 1)
	f.Note("osd", 2)
	f.Note("link", 2)
	f.Repaired("link", 2)
	f.RepairedAll("osd")
	if left := f.Take(); !slices.Equal(left, []Breakage{{"peer", 1}}) {
		t.Errorf("left: %v", left)
	}
	if left := f.Take(); len(left) > 0 {
		t.Errorf("left after all were taken: %v", left)
	}
}
