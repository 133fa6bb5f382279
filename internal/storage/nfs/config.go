// Package nfs mounts an NFS version 3 export: with the kernel's client, or
// on a kernel without one as a FUSE file system over package nfs3. It takes an
// export that no one else mounts, such as an instance's own volume. Databases
// on the mount keep all data they flushed. The FUSE file system:
//
//   - sends a write to the server at once; fsync, and the last close, wait until
//     the server has everything on its medium (COMMIT).
//   - fails the next fsync if the server restarted in between and lost unwritten
//     data. The database then recovers from its log instead of trusting missing
//     data.
//   - keeps the data of a file that is removed while open under another name until
//     it is closed, as NFS clients have always done.
//   - has locks local to this machine, enough for an export with one mount.
//
// Data read stays in the page cache: nobody else changes the export.
package nfs

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"plimsoll/internal/host/safefile"
	"plimsoll/internal/storage/nfs/nfs3"
)

// Config is the export and the place to mount it.
type Config struct {
	Name         string        `json:"name"`          // shown as the source of the mount
	Address      string        `json:"address"`       // host:port of the NFS service
	MountAddress string        `json:"mount_address"` // host:port of its Mount service
	Export       string        `json:"export"`
	Path         string        `json:"path"`     // mount point
	Patience     time.Duration `json:"patience"` // how long our client tries a call, 0 is a minute
	Kernel       bool          `json:"kernel"`   // with the kernel's client
}

// Write writes the configuration for Main.
func (c Config) Write(path string) error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return safefile.Write(path, text, 0o600)
}

// Main serves a mount until ctx ends or it is unmounted.
func Main(ctx context.Context, config string) error {
	text, err := os.ReadFile(config)
	if err != nil {
		return fmt.Errorf("read the configuration of the mount: %w", err)
	}
	var c Config
	if err := json.Unmarshal(text, &c); err != nil {
		return fmt.Errorf("read the configuration of the mount: %w", err)
	}
	if c.Kernel {
		return mountByKernel(ctx, c)
	}
	m, err := Mount(ctx, c)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = m.Unmount() })
	defer stop()
	m.Wait()
	return nil
}

func (c Config) client() nfs3.Config {
	return nfs3.Config{Address: c.Address, MountAddress: c.MountAddress, Export: c.Export, Patience: c.Patience}
}
