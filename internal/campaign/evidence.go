package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"plimsoll/internal/host/safefile"
	"plimsoll/internal/result"
)

// maxEvidence is how many instances of a trial are kept when their audit
// fails: each takes the space of its volume.
const maxEvidence = 4

// keepEvidence copies what a failed audit was about into the run directory:
// simulated disks and pools, where it lies, go with the run. It adds to cause
// where it is. What cannot be kept is reported, and does not hide the cause.
func (t *trial) keepEvidence(ctx context.Context, cause error) error {
	kept := 0
	for _, i := range t.instances {
		if !i.suspect {
			continue
		}
		e := result.Evidence{Member: i.member.variant.Member, Instance: i.number, Missing: fmt.Sprintf("only %d instances of a trial are kept", maxEvidence)}
		if kept < maxEvidence {
			e = i.keepEvidence(ctx)
		}
		if e.Path != "" {
			kept++
		}
		t.result.Evidence = append(t.result.Evidence, e)
	}
	return fmt.Errorf("%w%s", cause, t.evidenceText())
}

// evidenceText says where the evidence is.
func (t *trial) evidenceText() string {
	var b strings.Builder
	for _, e := range t.result.Evidence {
		if e.Path != "" {
			fmt.Fprintf(&b, "; the volumes and the receipts of %s are kept in %s", e.Whose(), filepath.Join(t.c.o.Dir, e.Path))
		}
		if e.Missing != "" {
			fmt.Fprintf(&b, "; nothing kept of %s: %s", e.Whose(), e.Missing)
		}
	}
	return b.String()
}

// keepEvidence stops the server and copies its volume, its receipts and how to
// log in.
func (i *instance) keepEvidence(ctx context.Context) result.Evidence {
	e := result.Evidence{Member: i.member.variant.Member, Instance: i.number}
	i.t.say(Event{Kind: Stage, Text: "keep the evidence of " + i.name})
	home, err := i.t.files.Evidence()
	if err != nil {
		e.Missing = err.Error()
		return e
	}
	dir := filepath.Join(home, i.name)
	e.Path, _ = filepath.Rel(i.t.c.o.Dir, dir) // below it
	err = errors.Join(i.stop(ctx), safefile.Make(dir, 0o700), i.copyVolumes(ctx, dir), i.copyReceipts(dir), i.writeAccounts(dir))
	if err != nil {
		e.Missing = err.Error()
	}
	return e
}

// copyVolumes copies the volume of each server under the name of its slot.
func (i *instance) copyVolumes(ctx context.Context, dir string) error {
	volumes := filepath.Join(dir, "volumes")
	if err := safefile.Make(volumes, 0o700); err != nil {
		return err
	}
	return i.eachHeld(func(_ *server, h *serverVolume) error {
		if h.volume.Path == "" { // a bucket, which stays where it is for as long as its class
			return nil
		}
		return i.t.c.platform.CopyOut(ctx, *h.volume, filepath.Join(volumes, h.slot))
	})
}

func (i *instance) copyReceipts(dir string) error {
	from, err := i.member.receipts.open(i.number)()
	if err != nil {
		return err
	}
	return errors.Join(copyTo(filepath.Join(dir, "receipts"), from), from.Close())
}

func copyTo(path string, from io.Reader) error {
	f, err := safefile.Create(path, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}

// writeAccounts keeps the accounts, without which the volume cannot be asked.
func (i *instance) writeAccounts(dir string) error {
	text, err := json.MarshalIndent(map[string]any{"user": i.kept(), "admin": i.admin()}, "", "  ")
	if err != nil {
		return err
	}
	return safefile.Write(filepath.Join(dir, "accounts.json"), text, 0o600)
}
