package mail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/emersion/go-imap/v2"
	"golang.org/x/sync/errgroup"

	"plimsoll/internal/client/mailbox"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// owner is the mailbox with a message that says for whom the others were prepared.
const owner = "plimsoll"

// volumeIdentity is the content of that message.
type volumeIdentity struct {
	fileio.Owner
	Volume uint64 `json:"volume,string"`
}

func ownerOf(t workload.Target, p *Parameters) fileio.Owner {
	return fileio.Owner{Workload: Name, Instance: t.Instance, Shape: p.shape(usersOf(t))}
}

// preparers is how many mailboxes are filled at once.
const preparers = 8

// Prepare fills the mailboxes of a server that has none.
func (Workload) Prepare(ctx context.Context, t workload.Target, p workload.Parameters, _ uint64, progress func(float64)) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return err
	}
	volume, err := claim(ctx, t, own)
	if err != nil {
		return classify(err)
	}
	var next, done atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for n := range preparers {
		g.Go(func() error {
			for {
				user := next.Add(1) - 1
				if user >= usersOf(t) {
					return nil
				}
				if err := own.fillBox(ctx, t.Endpoint(mailRole), volume, user); err != nil {
					return classify(fmt.Errorf("fill mailbox %s: %w", box(user), err))
				}
				if all := done.Add(1); n == 0 {
					progress(0.99 * float64(all) / float64(usersOf(t)))
				}
			}
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	progress(1)
	return nil
}

// claim refuses a server whose mailboxes were filled, and says for whom these are.
func claim(ctx context.Context, t workload.Target, p *Parameters) (volume uint64, err error) {
	in, err := mailbox.OpenInbox(ctx, t.Endpoint(mailRole), owner)
	if err != nil {
		return 0, err
	}
	defer in.Close() // what was appended has been answered
	defer in.Until(ctx)()
	about, err := in.Select(inbox, nil).Wait()
	if err != nil {
		return 0, err
	}
	if about.NumMessages > 0 {
		return 0, fmt.Errorf("the mailboxes at %s are not empty: they were filled before; prepare a new instance", t.Endpoint(mailRole).Address)
	}
	text, err := json.Marshal(volumeIdentity{ownerOf(t, p), fileio.NewIdentity(t.Instance)})
	if err != nil {
		return 0, err
	}
	var id volumeIdentity
	if err := json.Unmarshal(text, &id); err != nil {
		return 0, err
	}
	return id.Volume, deposit(in, []byte("Subject: Plimsoll\r\n\r\n"+string(text)))
}

// identity returns the identity that claim returned.
func identity(ctx context.Context, t workload.Target, p *Parameters) (volume uint64, err error) {
	in, err := mailbox.OpenInbox(ctx, t.Endpoint(mailRole), owner)
	if err != nil {
		return 0, classify(err)
	}
	defer in.Close() // it was only read
	defer in.Until(ctx)()
	about, err := in.Select(inbox, &imap.SelectOptions{ReadOnly: true}).Wait()
	if err != nil {
		return 0, classify(err)
	}
	if about.NumMessages != 1 {
		return 0, fmt.Errorf("the mailboxes at %s were not prepared: the one that says for whom has %d messages", t.Endpoint(mailRole).Address, about.NumMessages)
	}
	body := &imap.FetchItemBodySection{Specifier: imap.PartSpecifierText, Peek: true}
	got, err := in.Fetch(imap.SeqSetNum(1), &imap.FetchOptions{BodySection: []*imap.FetchItemBodySection{body}}).Collect()
	if err != nil || len(got) != 1 {
		return 0, classify(fmt.Errorf("read for whom the mailboxes were prepared: %d messages, %w", len(got), err))
	}
	var id volumeIdentity
	if err := json.Unmarshal(got[0].FindBodySection(body), &id); err != nil {
		return 0, fmt.Errorf("read for whom the mailboxes were prepared: %w", err)
	}
	if want := ownerOf(t, p); id.Owner != want {
		return 0, fmt.Errorf("the mailboxes were prepared for %s, instance %d (%s), not for %s, instance %d (%s)",
			id.Workload, id.Instance, id.Shape, want.Workload, want.Instance, want.Shape)
	}
	return id.Volume, nil
}

// fillBox puts messages into a mailbox.
func (p *Parameters) fillBox(ctx context.Context, e endpoint.Endpoint, volume uint64, user int64) error {
	in, err := mailbox.OpenInbox(ctx, e, box(user))
	if err != nil {
		return err
	}
	defer in.Close() // what was appended has been answered
	defer in.Until(ctx)()
	if err := in.Create(archive, nil).Wait(); err != nil {
		return err
	}
	for number := range p.Messages {
		if err := deposit(in, p.loaded(volume, user, number).text); err != nil {
			return err
		}
	}
	return nil
}

// deposit appends a message to the inbox.
func deposit(in *mailbox.Inbox, text []byte) error {
	cmd := in.Append(inbox, int64(len(text)), nil)
	_, err := cmd.Write(text)
	if err = errors.Join(err, cmd.Close()); err != nil {
		return err
	}
	_, err = cmd.Wait()
	return err
}
