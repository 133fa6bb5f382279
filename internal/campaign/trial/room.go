package trial

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/mounts"
	"plimsoll/internal/text/words"
)

// roomInterval is how often it is asked how much room results have.
const roomInterval = 10 * time.Second

// spareRoom is what has to be left for telemetry, logs and the trial's figures, besides
// what the drivers recorded, in bytes.
const spareRoom = 64 << 20

// watchRoom reports when the file system of the results has hardly enough room left to
// merge what the drivers have recorded: a trial that goes on until there is none loses
// all of it.
func (t *trial) watchRoom(ctx context.Context) (full <-chan error, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	found := make(chan error, 1)
	go func() { // not waited for: a file system whose server is gone never answers
		tick := time.NewTicker(roomInterval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := t.lackOfRoom(ctx); err != nil {
					found <- err
					return
				}
			}
		}
	}()
	return found, cancel
}

// lackOfRoom returns an error if the disk has too little room for the results still to be
// written.
func (t *trial) lackOfRoom(ctx context.Context) error {
	space, err := t.Parts.Platform.Space(ctx, t.Dir)
	need := t.files.Unmerged() + spareRoom
	if err != nil || space.Bytes < 0 || space.Bytes >= need {
		return nil
	}
	why := fmt.Errorf("the trial was ended while what was recorded can still be kept, which takes %s: %w", words.Bytes(float64(need)), unix.ENOSPC)
	return mounts.NameFull(why, t.files.Dir())
}
