package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	storagev1 "k8s.io/api/storage/v1"

	"plimsoll/internal/host/journal"
	plimsollstorage "plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
	"plimsoll/test/cluster/provisioner"
)

// storage is what the storage classes consist of.
type storage struct {
	slow    plimsollstorage.Class
	blocks  *provisioner.Devices
	journal *journal.Journal
}

// startStorage makes the classes fast, which can clone, slow, on a simulated disk, which
// cannot, and blocks, of raw devices.
func (n *node) startStorage(ctx context.Context) error {
	record, err := journal.Open(n.path("journal.jsonl"), n.Name)
	if err != nil {
		return err
	}
	n.storage = &storage{journal: record}
	parameters := disk.Kind{}.Defaults().(*disk.Parameters)
	parameters.Media = n.Media
	n.storage.slow, err = disk.Kind{}.New("slow", parameters, plimsollstorage.Env{
		RunID: n.Name, Scratch: n.path("slow"), Journal: record, Executable: n.Plimsoll, Log: slog.Default(),
	})
	if err != nil {
		return err
	}
	if err := errors.Join(os.MkdirAll(n.path("slow"), 0o711), os.MkdirAll(n.path("fast"), 0o711), os.MkdirAll(n.path("blocks"), 0o700)); err != nil {
		return fmt.Errorf("make the storage classes: %w", err)
	}
	if err := n.storage.slow.Up(ctx); err != nil {
		return err
	}
	shared, err := provisioner.NewShared(ctx, n.storage.slow)
	if err != nil {
		return err
	}
	fast := provisioner.Class{Name: "fast", Node: Node, Binding: storagev1.VolumeBindingImmediate, Volumes: provisioner.Directory(n.path("fast"))}
	slow := provisioner.Class{Name: "slow", Node: Node, Binding: storagev1.VolumeBindingWaitForFirstConsumer, Volumes: shared,
		Annotations: map[string]string{plimsollstorage.MediaAnnotation: n.Media, plimsollstorage.SimulatedAnnotation: "true"}}
	n.storage.blocks = provisioner.NewDevices(n.path("blocks"))
	blocks := provisioner.Class{Name: "blocks", Node: Node, Binding: storagev1.VolumeBindingWaitForFirstConsumer, Volumes: n.storage.blocks}
	return provisioner.Run(n.serving, n.client, fast, slow, blocks)
}

func (s *storage) down(ctx context.Context) error {
	var err error
	if s.slow != nil {
		err = s.slow.Down(ctx)
	}
	if s.blocks != nil {
		err = errors.Join(err, s.blocks.Close())
	}
	return errors.Join(err, s.journal.Close())
}
