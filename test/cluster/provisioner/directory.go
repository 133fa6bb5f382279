package provisioner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Directory makes volumes as directories on the machine's own file system, and can
// clone them.
type Directory string

var _ Cloner = Directory("")

func (d Directory) path(name string) string { return filepath.Join(string(d), name) }

// Make implements Volumes.
func (d Directory) Make(_ context.Context, v Volume) (string, error) {
	if v.Block {
		return "", errors.New("the class has no volumes of mode Block")
	}
	path := d.path(v.Name)
	if err := os.MkdirAll(path, 0o770); err != nil {
		return "", fmt.Errorf("make the volume: %w", err)
	}
	return path, os.Chmod(path, 0o770)
}

// Clone implements Cloner. Owners and modes stay, as in a copy of the blocks; the
// blocks are shared where the file system can.
func (d Directory) Clone(ctx context.Context, source, name string) (string, error) {
	path := d.path(name)
	// What an earlier attempt left is removed: it may lack anything.
	if err := os.RemoveAll(path); err != nil {
		return "", fmt.Errorf("clone the volume: %w", err)
	}
	out, err := exec.CommandContext(ctx, "cp", "--archive", "--reflink=auto", "--no-target-directory", d.path(source), path).CombinedOutput()
	if err != nil {
		err = errors.Join(fmt.Errorf("clone the volume: %w: %s", err, out), os.RemoveAll(path))
		return "", err
	}
	return path, nil
}

// Delete implements Volumes.
func (d Directory) Delete(_ context.Context, name string) error {
	if err := os.RemoveAll(d.path(name)); err != nil {
		return fmt.Errorf("delete the volume: %w", err)
	}
	return nil
}
