package disk

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/medium"
	"plimsoll/internal/storage/volumes"
)

// class is one medium with a file system on it. A volume is a directory of that file
// system, so all instances share the medium, as they would share a drive. Latencies are
// simulated from Settle until a volume is next made or deleted: preparation is not
// measured.
type class struct {
	name string
	r    specification
	env  storage.Env

	home, imageDir string
	process        *process
	loop           string // /dev/loop3
	volumes        *volumes.Set
	objects        []journal.Object // what was made, in order
	settled        medium.Status    // at the last Settle

	mu sync.Mutex
	up bool
}

func newClass(name string, r specification, env storage.Env) *class {
	c := &class{name: name, r: r, env: env}
	own := journal.Name(env.RunID, name)
	c.home = filepath.Join(env.Scratch, own)
	c.imageDir = c.home
	if r.image == imageMemory {
		// Variants of one storage have the same name in a run, and scratch directories
		// of their own.
		h := fnv.New64a()
		_, _ = h.Write([]byte(env.Scratch)) // never fails
		c.imageDir = filepath.Join(storage.MemoryPath, journal.Name(env.RunID, name, fmt.Sprintf("%x", h.Sum64())))
	}
	return c
}

func (c *class) image() string       { return filepath.Join(c.imageDir, "image") }
func (c *class) config() string      { return filepath.Join(c.home, "medium.json") }
func (c *class) log() string         { return filepath.Join(c.home, "medium.log") }
func (c *class) mediumMount() string { return filepath.Join(c.home, "medium") }
func (c *class) block() string       { return filepath.Join(c.mediumMount(), medium.FileName) }
func (c *class) fsMount() string     { return filepath.Join(c.home, "fs") }

// Up starts the medium, attaches a loop device, makes a file system and mounts
// it, all without simulated times.
func (c *class) Up(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.up {
		return nil
	}
	if err := usable(c.r.fs); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{c.makeDirectories, c.makeImage, c.start, c.format} {
		if err := step(ctx); err != nil {
			return fmt.Errorf("simulated medium %s: %w", c.r.name, err)
		}
	}
	c.up = true
	return nil
}

// making journals an object and remembers it for Down.
func (c *class) making(o journal.Object) error {
	c.objects = append(c.objects, o)
	return c.env.Journal.Making(o)
}

// made completes the object that was announced last under its name and path.
func (c *class) made(o journal.Object) error {
	for i, have := range c.objects {
		if have.Kind == o.Kind && have.Name == o.Name && have.Path == o.Path {
			c.objects[i] = o
		}
	}
	return c.env.Journal.Made(o)
}

func (c *class) makeDirectories(context.Context) error {
	homes := []string{c.home}
	if c.imageDir != c.home {
		homes = append(homes, c.imageDir)
	}
	for _, home := range homes {
		o := journal.Object{Kind: journal.Directory, Name: c.name, Path: home}
		if err := c.making(o); err != nil {
			return err
		}
		if err := safefile.Make(home, 0o711); err != nil {
			c.objects = c.objects[:len(c.objects)-1] // what has its name is another's
			return errors.Join(fmt.Errorf("create its directory: %w", err), c.env.Journal.Removed(o))
		}
		if err := c.made(o); err != nil {
			return err
		}
	}
	// Servers under another user pass through home to the volumes.
	return errors.Join(safefile.Make(c.mediumMount(), 0o711), safefile.Make(c.fsMount(), 0o711))
}

func (c *class) makeImage(context.Context) error {
	f, err := safefile.Create(c.image(), 0o600)
	if err != nil {
		return fmt.Errorf("create its image: %w", err)
	}
	if err := errors.Join(f.Truncate(c.r.size), f.Close()); err != nil {
		return fmt.Errorf("create its image of %d bytes: %w; use a smaller size", c.r.size, err)
	}
	return nil
}

func (c *class) start(ctx context.Context) error {
	config := medium.Config{Name: "plimsoll-" + c.r.name, Mount: c.mediumMount(), Image: c.image(), Size: c.r.size, Spec: c.r.spec, PowerCuts: c.env.PowerCuts}
	if err := config.Write(c.config()); err != nil {
		return err
	}
	mount := journal.Object{Kind: journal.Mount, Name: c.name, Path: c.mediumMount()}
	if err := errors.Join(c.making(c.processObject(0)), c.making(mount)); err != nil {
		return err
	}
	p, cmd, err := startMedium(ctx, c.env.Executable, c.config(), c.log(), c.env.Journal.Marker("medium-"+c.name))
	if err != nil {
		return err
	}
	c.process = p
	return errors.Join(c.made(c.processObject(cmd.Process.Pid)), c.made(mount))
}

// format makes the file system and mounts it.
func (c *class) format(ctx context.Context) error {
	return c.process.unthrottled(func() error {
		err := c.attached(ctx, func() error {
			if err := c.r.fs.make(ctx, c.loop); err != nil {
				return err
			}
			return c.mount()
		})
		if err != nil {
			return err
		}
		c.volumes, err = volumes.New(c.fsMount(), c.env.Owner, c.r.fs.reflink)
		return err
	})
}

// attached does something with a loop device on the medium, which goes away
// afterwards unless it was mounted.
func (c *class) attached(ctx context.Context, do func() error) error {
	loop, err := c.attach(ctx)
	if err != nil {
		return err
	}
	defer loop.Close() // the mount holds it from here on
	if err := c.r.tune(c.loop); err != nil {
		return err
	}
	return do()
}

func (c *class) attach(ctx context.Context) (*os.File, error) {
	o := journal.Object{Kind: journal.Loop, Name: c.name, Path: c.block()}
	if err := c.making(o); err != nil {
		return nil, err
	}
	device, err := attachLoop(ctx, c.block())
	if err != nil {
		return nil, err
	}
	c.loop = device.Name()
	o.Loop = c.loop
	if !direct(c.loop) {
		err = fmt.Errorf("%s does no direct I/O on the medium, so the page cache would answer instead; this kernel cannot simulate media", c.loop)
	}
	if err := errors.Join(err, c.made(o)); err != nil {
		return nil, errors.Join(err, device.Close())
	}
	return device, nil
}

func (c *class) mount() error {
	o := journal.Object{Kind: journal.Mount, Name: c.name, Path: c.fsMount()}
	if err := c.making(o); err != nil {
		return err
	}
	if err := c.r.fs.mountAt(c.fsMount(), c.loop, c.r.options); err != nil {
		return err
	}
	return errors.Join(safefile.Chmod(c.fsMount(), 0o711), c.made(o))
}

// Down removes everything, also after the medium's process was killed.
func (c *class) Down(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.up = false
	if c.process != nil {
		// The remaining dirty data is written without simulated latencies. A dead medium
		// cannot take it, and need not.
		_ = c.process.send(medium.Pause)
	}
	busy := users(c.fsMount())
	err := c.env.Journal.Swept(journal.Sweep(ctx, journal.State{RunID: c.env.RunID, Objects: c.objects}))
	if c.process != nil {
		_ = c.process.stdin.Close() // the process is gone
		c.process = nil
	}
	if err != nil && len(busy) > 0 {
		return fmt.Errorf("take the simulated medium down: it is in use by %s; end them: %w", strings.Join(busy, ", "), err)
	}
	if err != nil {
		return fmt.Errorf("take the simulated medium down: %w", err)
	}
	c.objects = nil
	return nil
}

// Import brings a golden volume in without simulated times.
func (c *class) Import(ctx context.Context, key, source string) error {
	return c.prepare(func(v *volumes.Set) error { return v.Import(ctx, key, source) })
}

// Provision makes an empty volume without simulated times.
func (c *class) Provision(_ context.Context, claim storage.Claim) (made storage.Volume, err error) {
	err = c.prepare(func(v *volumes.Set) error {
		made, err = v.Provision(claim)
		return err
	})
	return made, err
}

// Clone makes a volume without simulated times.
func (c *class) Clone(ctx context.Context, key string, claim storage.Claim) (made storage.Volume, err error) {
	err = c.prepare(func(v *volumes.Set) error {
		made, err = v.Clone(ctx, key, claim)
		return err
	})
	return made, err
}

// Delete removes a volume without simulated times. After the medium's process
// has died there is nothing to remove.
func (c *class) Delete(_ context.Context, v storage.Volume) error {
	if p, _, err := c.ready(); err == nil && p.alive() != nil {
		return nil
	}
	return c.prepare(func(set *volumes.Set) error { return set.Delete(v) })
}

// Settle writes back without simulated latencies, gives deleted space back to the image and
// drops the volumes' pages from the page cache. From here on latencies are simulated.
func (c *class) Settle(ctx context.Context) (done string, err error) {
	p, _, err := c.ready()
	if err != nil {
		return "", err
	}
	err = c.prepare(func(v *volumes.Set) error {
		if err := collect(c.fsMount()); err != nil {
			return err
		}
		if done, err = v.Settle(ctx, true); err != nil {
			return err
		}
		return trim(c.fsMount())
	})
	if err != nil {
		return "", err
	}
	status, err := p.throttle()
	c.mu.Lock()
	c.settled = status
	c.mu.Unlock()
	return done + "; simulated timing is on from here", err
}

func (c *class) prepare(do func(*volumes.Set) error) error {
	p, v, err := c.ready()
	if err != nil {
		return err
	}
	return p.unthrottled(func() error { return do(v) })
}

func (c *class) ready() (*process, *volumes.Set, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.up {
		return nil, nil, errors.New("storage class " + c.name + " is not up")
	}
	return c.process, c.volumes, nil
}
