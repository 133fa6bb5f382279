package ceph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/text/words"
)

// Kinds of objects that a run makes in a cluster, and what their Name is. Their Path is the
// ceph.conf that leads there.
const (
	imageKind     journal.Kind = "image"      // pool/image
	subvolumeKind journal.Kind = "subvolume"  // file system/subvolume
	userKind      journal.Kind = "store user" // of its object store, whom buckets of the run belong to
)

// loan describes the images or subvolumes that an existing cluster lends. Their names and a
// mark distinguish them from others.
type loan struct {
	run  string       // that they are marked as
	kind journal.Kind // kind of these objects
	conf string       // path of the cluster's configuration, by which the journal names it
	// room refuses a full pool: whoever opens an image of it waits, also to remove it.
	room func(context.Context) error
}

// longestName is how long the name of an image may be (RBD_MAX_IMAGE_NAME_SIZE).
const longestName = 95

// name returns the name of a volume's image or subvolume. It is unique because the run's
// is.
func (l *loan) name(volume string) string {
	name := journal.Name(l.run, volume)
	if len(name) <= longestName {
		return name
	}
	sum := sha256.Sum256([]byte(volume))
	return journal.Name(l.run, hex.EncodeToString(sum[:10]))
}

// object is an image with its pool, or a subvolume with its file system, in the journal.
func (l *loan) object(name string) journal.Object {
	return journal.Object{Kind: l.kind, Name: name, Path: l.conf}
}

// errNotOurs refuses an object that another run, or somebody else, has made.
var errNotOurs = errors.New("it is not this run's")

// announce records in the journal that an object is about to be made in an existing
// cluster. If an object of that name already exists, announce leaves it alone and fails.
func (v *volume) announce(ctx context.Context) error {
	o := v.of.lent.object(v.image())
	owner, there, err := v.of.ownerOf(ctx, o)
	if err == nil && there {
		err = fmt.Errorf("make %s: %w: there is one already, with the mark %q, and it stays as it is. Look at it on a node of the cluster, and if nobody needs what it holds: `%s`", o, errNotOurs, owner, removal(o))
	}
	if err != nil {
		return err
	}
	v.announced = true
	return v.of.env.Journal.Making(o)
}

// giveBack removes the volume's objects from an existing cluster.
func (v *volume) giveBack(ctx context.Context) error {
	if !v.announced { // nothing was made
		return nil
	}
	l := v.of.lent
	o := l.object(v.image())
	if l.kind == imageKind {
		if err := l.room(ctx); err != nil {
			return fmt.Errorf("image %s stays for now: `plimsoll clean` removes it later: %w", v.image(), err)
		}
	}
	if _, err := v.of.removeLent(ctx, o, l.run); err != nil {
		return err
	}
	return v.of.env.Journal.Removed(o)
}

// ownerOf looks for an image or subvolume, and for the run that it is marked as; empty where
// it has no mark.
func (c *cluster) ownerOf(ctx context.Context, o journal.Object) (run string, there bool, err error) {
	if o.Kind == imageKind {
		return c.marked(ctx, o.Name)
	}
	fs, name, _ := strings.Cut(o.Name, "/")
	return c.markedSubvolume(ctx, fs, name)
}

// removeLent removes a run's object, as the journal has it, from an existing cluster, and
// checks that it is gone. An object without the run's mark stays, whatever it holds: recent
// writes are counted late.
func (c *cluster) removeLent(ctx context.Context, o journal.Object, run string) (found bool, err error) {
	if o.Kind == userKind {
		return c.removeUser(ctx, o, run)
	}
	owner, there, err := c.ownerOf(ctx, o)
	if err != nil || !there {
		return there, err
	}
	switch owner {
	case run:
	case "":
		return true, fmt.Errorf("remove %s: %w: it has no mark; a run that was killed may have left it so, or somebody else has made it. Look at it on a node of the cluster, and if nobody needs what it holds: `%s`", o, errNotOurs, removal(o))
	default:
		return true, fmt.Errorf("remove %s: %w: it is marked as of %q, and stays; `plimsoll clean` removes it with what else that run has left", o, errNotOurs, owner)
	}
	if o.Kind == subvolumeKind {
		fs, name, _ := strings.Cut(o.Name, "/")
		err = c.subvolume(ctx, nil, "rm", fs, name)
	} else if err = c.purge(ctx, o.Name); err == nil {
		err = c.removeImage(ctx, o.Name)
	}
	if err != nil {
		return true, err
	}
	if _, there, err = c.ownerOf(ctx, o); err == nil && there {
		err = stillThere(o)
	}
	return true, err
}

// stillThere reports an object that exists although the cluster confirmed its removal.
func stillThere(o journal.Object) error {
	return fmt.Errorf("the cluster said that it removed %s, and still has it: see `ceph health detail` on a node of the cluster, and try `plimsoll clean` again, or there `%s`", o, removal(o))
}

// removal is the command that removes an object by hand.
func removal(o journal.Object) string {
	switch o.Kind {
	case imageKind:
		return "rbd rm " + words.Shell(o.Name)
	case userKind:
		return "radosgw-admin user rm --uid=" + words.Shell(o.Name)
	}
	fs, name, _ := strings.Cut(o.Name, "/")
	return "ceph fs subvolume rm " + words.Shell(fs) + " " + words.Shell(name)
}
