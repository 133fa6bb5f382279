package ceph

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"plimsoll/internal/journal"
	"plimsoll/internal/storage/peers"
)

// lent is what an existing cluster lends: images or subvolumes that are told from those of
// others by their names and by a mark.
type lent struct {
	run  string       // that they are marked as
	kind journal.Kind // what they are
	conf string       // path of the cluster's configuration, by which the journal names it
	// room refuses a full pool: whoever opens an image of it waits, also to remove it.
	room func(context.Context) error
}

// longestName is how long the name of an image may be (RBD_MAX_IMAGE_NAME_SIZE).
const longestName = 95

// name is that of the image or subvolume of a volume: unique, since that of the run is.
func (l *lent) name(volume string) string {
	name := journal.Name(l.run, volume)
	if len(name) <= longestName {
		return name
	}
	sum := sha256.Sum256([]byte(volume))
	return journal.Name(l.run, hex.EncodeToString(sum[:10]))
}

// object is an image with its pool, or a subvolume with its file system, in the journal.
func (l *lent) object(name string) journal.Object {
	return journal.Object{Kind: l.kind, Name: name, Path: l.conf}
}

// markName is the name of the metadata of an image or subvolume that say which run made it.
const markName = "plimsoll-run"

// mark marks an image as a run's.
func (c *cluster) mark(ctx context.Context, image, run string) error {
	return c.rbd(ctx, "image-meta", "set", image, markName, run)
}

// marked looks for an image and for the run that it is marked as.
func (c *cluster) marked(ctx context.Context, image string) (run string, there bool, err error) {
	out, err := c.run(ctx, "rbd", "image-meta", "list", "--format", "json", image)
	if isMissing(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	var all map[string]string
	if err := json.Unmarshal(out, &all); err != nil && len(bytes.TrimSpace(out)) > 0 { // nothing is printed where there is none
		return "", false, fmt.Errorf("read the metadata of image %s: %w", image, err)
	}
	return all[markName], true, nil
}

// isMissing says that a command on an image did not find it.
func isMissing(err error) bool { return says(err, "No such file or directory") }

// says reports whether a program of Ceph failed with these words.
func says(err error, words string) bool {
	failed, ok := errors.AsType[*commandError](err)
	return ok && strings.Contains(failed.said, words)
}

// errNotOurs is of what another run, or somebody else, has made.
var errNotOurs = errors.New("it is not this run's")

// removeMarked removes an image that a run has marked, with its snapshots, and looks whether
// it is gone.
func (c *cluster) removeMarked(ctx context.Context, image, run string) (found bool, err error) {
	owner, there, err := c.marked(ctx, image)
	if err == nil && there && owner == "" {
		owner, err = c.unmarked(ctx, image, run)
	}
	if err != nil || !there {
		return there, err
	}
	if owner != run {
		return true, fmt.Errorf("remove image %s: %w: it is marked %q, not %q", image, errNotOurs, owner, run)
	}
	if err := c.purge(ctx, image); err != nil {
		return true, err
	}
	if err := c.removeImage(ctx, image); err != nil {
		return true, err
	}
	if _, there, err = c.marked(ctx, image); err == nil && there {
		err = fmt.Errorf("image %s is still there after it was removed", image)
	}
	return true, err
}

// purge removes the snapshots of an image, which only golden ones have.
func (c *cluster) purge(ctx context.Context, image string) error {
	out, err := c.run(ctx, "rbd", "snap", "ls", "--format", "json", image)
	if err != nil {
		return err
	}
	var snapshots []json.RawMessage
	if err := json.Unmarshal(out, &snapshots); err != nil {
		return fmt.Errorf("read the snapshots of image %s: %w", image, err)
	}
	if len(snapshots) == 0 {
		return nil
	}
	return c.rbd(ctx, "snap", "purge", "--no-progress", image)
}

// unmarked says whose an image without a mark is: a crash may leave one of the run's before
// it is marked. Nothing was written to that yet, or it is a clone of an image of the run's.
func (c *cluster) unmarked(ctx context.Context, image, run string) (owner string, err error) {
	empty, err := c.empty(ctx, image)
	if err != nil {
		return "", err
	}
	if empty {
		return run, nil
	}
	out, err := c.run(ctx, "rbd", "info", "--format", "json", image)
	if err != nil {
		return "", err
	}
	var of struct{ Parent struct{ Pool, Image string } }
	if err := json.Unmarshal(out, &of); err != nil {
		return "", fmt.Errorf("read what image %s is a clone of: %w", image, err)
	}
	if of.Parent.Image == "" {
		return "", nil
	}
	owner, _, err = c.marked(ctx, of.Parent.Pool+"/"+of.Parent.Image)
	return owner, err
}

// empty reports whether nothing was ever written to an image.
func (c *cluster) empty(ctx context.Context, image string) (bool, error) {
	out, err := c.run(ctx, "rbd", "diff", "--format", "json", image)
	if err != nil {
		return false, err
	}
	var extents []json.RawMessage
	if err := json.Unmarshal(out, &extents); err != nil {
		return false, fmt.Errorf("read what image %s holds: %w", image, err)
	}
	return len(extents) == 0, nil
}

// removeImage removes an image, if it is there. The cluster takes a client that was killed
// for one that is there until it has not heard of it for some time.
func (c *cluster) removeImage(ctx context.Context, image string) error {
	return peers.Poll(ctx, 2*time.Minute, "image "+image+" to be removed", func() (bool, error) {
		err := c.rbd(ctx, "rm", "--no-progress", image)
		switch {
		case err == nil || isMissing(err):
			return true, nil
		case strings.Contains(err.Error(), "still open") || strings.Contains(err.Error(), "has watchers"):
			return false, nil
		}
		return false, err
	})
}
