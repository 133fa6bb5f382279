package nfs

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"plimsoll/internal/storage/nfs/nfs3"
)

// ServedMount is a mount that is being served.
type ServedMount struct {
	server *fuse.Server
	client *nfs3.Client
}

// attributeTime is how long names and attributes are believed: nobody else
// changes them, but numbers of blocks and times come from the server.
const attributeTime = time.Second

// Mount mounts an export with our own client and serves it.
func Mount(ctx context.Context, c Config) (*ServedMount, error) {
	client, err := nfs3.Mount(ctx, c.client())
	if err != nil {
		return nil, err
	}
	root, err := client.Getattr(ctx, client.Root)
	if err != nil {
		client.Close()
		return nil, fmt.Errorf("look at the root of the export: %w", err)
	}
	known := attributeTime
	server, err := fs.Mount(c.Path, &node{share: &share{client: client}, handle: client.Root}, &fs.Options{
		MountOptions: fuse.MountOptions{
			AllowOther: true, Options: []string{"default_permissions"},
			FsName: c.Name, Name: ownFileSystem,
			MaxWrite: int(client.Info.MaxWrite), MaxBackground: 64,
			ExplicitDataCacheControl: true, // our own writes must not empty the cache
			DirectMount:              true, DisableXAttrs: true,
		},
		EntryTimeout: &known, AttrTimeout: &known,
		RootStableAttr: &fs.StableAttr{Ino: root.ID, Mode: syscall.S_IFDIR},
	})
	if err != nil {
		client.Close()
		return nil, fmt.Errorf("mount at %s: %w", c.Path, err)
	}
	return &ServedMount{server: server, client: client}, nil
}

// Unmount takes the mount away when nothing uses it.
func (m *ServedMount) Unmount() error { return m.server.Unmount() }

// Wait waits until the mount is gone, and lets the server go.
func (m *ServedMount) Wait() {
	m.server.Wait()
	m.client.Close()
}
