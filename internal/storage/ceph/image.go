package ceph

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"plimsoll/internal/storage/peers"
)

// markName is the metadata key of an image or subvolume that names the run it was made by.
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

// isMissing reports whether a command on an image did not find it.
func isMissing(err error) bool { return says(err, "No such file or directory") }

// says reports whether a program of Ceph failed with these words.
func says(err error, words string) bool {
	failed, ok := errors.AsType[*commandError](err)
	return ok && strings.Contains(failed.said, words)
}

// purge removes the snapshots of an image, whether for clones or by events.
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
