package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"plimsoll/internal/campaign/instance"
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
	for _, i := range t.suspects {
		e := result.Evidence{Member: i.App.Variant.Member, Instance: i.Number, Missing: fmt.Sprintf("only %d instances of a trial are kept", maxEvidence)}
		if kept < maxEvidence {
			e = t.keepEvidenceOf(ctx, i)
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
			fmt.Fprintf(&b, "; the volumes and the receipts of %s are kept in %s", e.Whose(), filepath.Join(t.Dir, e.Path))
		}
		if e.Missing != "" {
			fmt.Fprintf(&b, "; nothing kept of %s: %s", e.Whose(), e.Missing)
		}
	}
	return b.String()
}

// keepEvidenceOf stops the servers of an instance and copies its volumes, its receipts and how to
// log in.
func (t *trial) keepEvidenceOf(ctx context.Context, i *instance.Instance) result.Evidence {
	e := result.Evidence{Member: i.App.Variant.Member, Instance: i.Number}
	t.begin("keep the evidence of " + i.Name)
	home, err := t.files.Evidence()
	if err != nil {
		e.Missing = err.Error()
		return e
	}
	dir := filepath.Join(home, i.Name)
	e.Path, _ = filepath.Rel(t.Dir, dir) // below it
	volumes := filepath.Join(dir, "volumes")
	err = errors.Join(i.Stop(ctx), safefile.Make(dir, 0o700), safefile.Make(volumes, 0o700), i.CopyVolumes(ctx, volumes), t.copyReceipts(i, dir), writeAccounts(i, dir))
	if err != nil {
		e.Missing = err.Error()
	}
	return e
}

func (t *trial) copyReceipts(i *instance.Instance, dir string) error {
	from, err := t.memberOf(i).receipts.open(i.Number)()
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
func writeAccounts(i *instance.Instance, dir string) error {
	text, err := json.MarshalIndent(map[string]any{"user": i.Kept(), "admin": i.Admin()}, "", "  ")
	if err != nil {
		return err
	}
	return safefile.Write(filepath.Join(dir, "accounts.json"), text, 0o600)
}
