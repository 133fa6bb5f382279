package ceph

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/storage/peers"
)

// Names of the pools of CephFS and of the file system.
const (
	fileTables = "plimsoll-fs-metadata"
	fileData   = "plimsoll-fs-data"
	fileSystem = "plimsoll"
)

// tables names the metadata server.
const tables = "mds.a"

// tableGroups is how many placement groups a pool of tables gets, which are small.
const tableGroups = 16

// makeFileSystem makes CephFS and serves it.
func (p *Pool) makeFileSystem(ctx context.Context) error {
	if err := p.makePool(ctx, fileTables, tableGroups); err != nil {
		return err
	}
	if err := p.makeDataPool(ctx, fileData); err != nil {
		return err
	}
	// A pool with an erasure code is taken only by force.
	if err := p.ceph(ctx, nil, "fs", "new", fileSystem, fileTables, fileData, "--force"); err != nil {
		return err
	}
	return p.serveFileSystem(ctx)
}

// serveFileSystem starts the metadata server and mounts the whole of CephFS.
func (p *Pool) serveFileSystem(ctx context.Context) error {
	if err := p.startTables(ctx); err != nil {
		return err
	}
	root := &volume{of: p.clients, pool: p, name: rootName, path: "/"}
	p.mu.Lock()
	p.root = root
	p.mu.Unlock()
	return root.mountCephFS(ctx)
}

// startTables starts the metadata server and waits until it serves.
func (p *Pool) startTables(ctx context.Context) error {
	if err := p.startControl(tables, "ceph-mds", "-f", "-i", "a"); err != nil {
		return err
	}
	// It asks the server itself: after a power cut the monitor lists the former server as
	// active until its time is up.
	return peers.Poll(ctx, startLimit, "the metadata server to be active", func() (bool, error) {
		var s struct{ State string }
		if err := p.dead(p.daemon(tables)); err != nil {
			return false, err
		}
		err := p.askTables(ctx, question{Prefix: "status"}, &s)
		return err == nil && s.State == "up:active", nil // its socket is not there at once
	})
}

// rootName names the mount in which volumes are made and removed. No volume has this name.
const rootName = ".root"

// mounted are all volumes and, where there is one, the mount of the whole of CephFS.
func (p *Pool) mounted() []*volume {
	all := p.all()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.root != nil {
		all = append(all, p.root)
	}
	return all
}

// below is where the whole of CephFS shows the volume.
func (v *volume) below() string { return v.pool.file("images", rootName, v.name) }

// makeCephFS makes a directory of CephFS, in an existing cluster a subvolume, and mounts it.
func (v *volume) makeCephFS(ctx context.Context) (err error) {
	if v.of.lent != nil {
		v.path, err = v.makeSubvolume(ctx)
	} else {
		v.path, err = "/"+v.name, safefile.Make(v.below(), 0o711)
	}
	if err != nil {
		return err
	}
	return v.mountCephFS(ctx)
}

// mountCephFS mounts the volume's directory of CephFS.
func (v *volume) mountCephFS(ctx context.Context) error {
	c, mode := v.of, os.FileMode(0o711)
	args := []string{"ceph-fuse", "-f", "--client_mountpoint=" + v.path, v.mount()}
	if v.name == rootName {
		mode = 0o700
	}
	if c.lent != nil {
		args = append(args, "--client_fs="+c.images)
	}
	if err := safefile.Ensure(v.mount(), mode); err != nil {
		return err
	}
	o := v.objects()[0]
	if err := c.env.Journal.Making(o); err != nil {
		return err
	}
	var err error
	if v.client, err = c.launch(v.process(), c.command(context.Background(), append(args, c.options...)...), (*exec.Cmd).Start); err != nil {
		return err
	}
	err = peers.Poll(ctx, time.Minute, "volume "+v.name+" to be mounted", func() (bool, error) {
		if err := c.dead(v.client); err != nil {
			return false, err
		}
		if !slices.Contains(journal.MountPoints(v.mount()), v.mount()) {
			return false, nil
		}
		_, err := os.ReadDir(v.mount())
		return err == nil, nil
	})
	if err != nil && c.lent != nil {
		err = fmt.Errorf("mount %s of file system %s by ceph-fuse: `ceph fs status %[2]s` on a node of the cluster shows whether a metadata server is active: %w", v.path, c.images, err)
	}
	return errors.Join(err, c.env.Journal.Made(o))
}

// purgeLimit is how long CephFS may take to give the space of deleted files back.
const purgeLimit = 2 * time.Minute

// removeCephFS removes the directory and waits until the metadata server has removed what
// was in it, which it does in the background.
func (v *volume) removeCephFS(ctx context.Context) error {
	if err := os.RemoveAll(v.below()); err != nil {
		return err
	}
	return peers.Poll(ctx, purgeLimit, "CephFS to remove the files of volume "+v.name, func() (bool, error) {
		var counters struct {
			Cache *struct {
				Strays int64 `json:"num_strays"`
			} `json:"mds_cache"`
			Queue *struct {
				Executing int64 `json:"pq_executing"`
				InJournal int64 `json:"pq_item_in_journal"`
			} `json:"purge_queue"`
		}
		if err := v.pool.askTables(ctx, question{Prefix: "perf dump"}, &counters); err != nil {
			return false, err
		}
		if counters.Cache == nil || counters.Queue == nil {
			return false, errForm
		}
		if counters.Cache.Strays+counters.Queue.Executing+counters.Queue.InJournal == 0 {
			return true, nil
		}
		// It may keep a deleted directory in its cache for as long as it likes.
		return false, v.pool.askTables(ctx, question{Prefix: "cache drop", Timeout: 5}, nil)
	})
}

// askTables puts a question to the metadata server.
func (p *Pool) askTables(ctx context.Context, q question, into any) error {
	d := p.daemon(tables)
	if err := p.dead(d); err != nil {
		return err
	}
	return askAt(ctx, fmt.Sprintf("/proc/%d/cwd/mds.a.asok", d.pid), d.name, q, into)
}
