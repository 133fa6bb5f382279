package pod

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"os"
)

// Idle does nothing until it is told to end: others use the pod's volumes.
func Idle(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// Archive writes a directory as a tar archive.
func Archive(directory string, to io.Writer) error {
	root, err := os.OpenRoot(directory)
	if err != nil {
		return fmt.Errorf("archive a volume: %w", err)
	}
	defer root.Close()
	w := tar.NewWriter(to)
	if err := w.AddFS(root.FS()); err != nil {
		return fmt.Errorf("archive %s: %w", directory, err)
	}
	return w.Close()
}
