package mail

import (
	"context"
	"fmt"
	"time"

	"github.com/emersion/go-imap/v2"

	"plimsoll/internal/client/mailbox"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// write sends a new message, answers one or forwards one. The operation ends when the message
// is accepted.
func (u *user) write(ctx context.Context, verb string, at int) (w work, err error) {
	to, attachment, subject := u.someone(), u.p.drawAttachment(u.random), ""
	u.sent++
	w.message = id{u.number, u.epoch, u.sent}
	err = u.time(verb, func() (time.Duration, error) {
		if verb != send {
			h := u.held[at]
			size, err := u.fetch(h)
			if err != nil {
				return 0, err
			}
			subject = "Fwd: " + h.id.String() + " "
			attachment = min(largest, max(0, (size-int64(u.p.Text))*3/4))
			if verb == reply {
				if err := u.mark(h, imap.FlagAnswered); err != nil {
					return 0, err
				}
				to, attachment, subject = h.id.user%u.users, 0, "Re: "+h.id.String()+" "
			}
		}
		m := u.p.compose(u.volume, w.message, to, subject+w.message.String(), attachment)
		w.bytes = int64(len(m.text))
		return 0, u.submit(ctx, m, to)
	})
	w.accepted = workload.Now()
	w.sent = err == nil
	return w, err
}

// someone is another user, if there is one.
func (u *user) someone() int64 {
	if u.users == 1 {
		return u.number
	}
	return (u.number + 1 + u.random.Int64N(u.users-1)) % u.users
}

func (u *user) mark(h inboxMessage, flag imap.Flag) error {
	return u.in.Store(h.at(), &imap.StoreFlags{Op: imap.StoreFlagsAdd, Silent: true, Flags: []imap.Flag{flag}}, nil).Close()
}

// submit sends a message on a connection of its own, as programs for mail do, and gives a
// receipt of it if it may have been accepted.
func (u *user) submit(ctx context.Context, m message, to int64) error {
	out, err := mailbox.OpenOutbox(ctx, u.smtp, box(u.number))
	if err != nil {
		return err
	}
	defer out.Close() // after its answer, nothing is lost with the connection
	defer out.Until(ctx)()
	if err := out.Mail(mailbox.Address(box(u.number)), nil); err != nil {
		return fmt.Errorf("offer message %s: %w", m.id, err)
	}
	for _, box := range u.recipients(to) {
		if err := out.Rcpt(mailbox.Address(box), nil); err != nil {
			return fmt.Errorf("address message %s to %s: %w", m.id, box, err)
		}
	}
	data, err := out.Data()
	if err != nil {
		return fmt.Errorf("send message %s: %w", m.id, err)
	}
	_, err = data.Write(m.text)
	if err == nil {
		err = data.Close()
	}
	if err == nil {
		_ = out.Quit() // the message is accepted whatever becomes of the connection
	}
	if err == nil || !isAnswer(err) {
		u.receiveSent(m, to, err != nil)
	}
	if err != nil {
		return fmt.Errorf("send message %s: %w", m.id, err)
	}
	return nil
}

// recipients are the mailboxes that a message goes to: another user's, and the sender's own.
func (u *user) recipients(to int64) []string {
	if to == u.number {
		return []string{box(to)}
	}
	return []string{box(to), box(u.number)}
}

// The user looks for a message that it sent after the time shortest, and then again after
// each fraction 1/part of the time waited so far. Reported times are exact to that
// fraction.
const (
	shortest = 5 * time.Millisecond
	longest  = time.Second
	part     = 20
)

// awaitDelivery waits until a message that was accepted is in the user's own mailbox.
func (u *user) awaitDelivery(ctx context.Context, message id, accepted time.Time) error {
	for pause := shortest; ; {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
		before := len(u.held)
		if err := u.in.Noop().Wait(); err != nil {
			u.rec.Observe(u.numbers[delivery], accepted, time.Since(accepted), workload.Failed)
			return classify(err)
		}
		if err := u.news(); err != nil {
			u.rec.Observe(u.numbers[delivery], accepted, time.Since(accepted), workload.Failed)
			return classify(err)
		}
		waited := time.Since(accepted)
		for _, h := range u.held[before:] {
			if h.id == message {
				u.rec.Observe(u.numbers[delivery], accepted, waited, workload.Done)
				return nil
			}
		}
		if waited > u.p.Deliver.D() {
			u.rec.Observe(u.numbers[delivery], accepted, waited, workload.Failed)
			return wrong(notDelivered, "message %s was accepted and is not in mailbox %s after %s", message, box(u.number), u.p.Deliver)
		}
		pause = min(longest, max(shortest, waited/part))
	}
}

// Kinds of receipts.
const (
	receiptSent    = 1
	receiptRemoved = 2
	receiptMoved   = 3 // only where it is not known whether it was
	receiptLost    = 4 // a connection was lost
)

// receive gives a receipt, which is numbers (encoding/binary's unsigned varints): its kind,
// the volume, and the session with the number of its receipts so far; and then, of a message
// that was sent, its number, to whom, whether it is in doubt, and its digest; of one that was
// removed or moved, its name and whether that is in doubt; and of one that was removed, by which
// delivery it had come.
func (u *user) receive(kind uint64, more ...uint64) {
	u.serial++
	receipt := fileio.AppendNumbers(nil, kind, u.volume, uint64(u.number), u.epoch, u.serial)
	u.rec.Receipt(fileio.AppendNumbers(receipt, more...))
}

func (u *user) receiveSent(m message, to int64, doubt bool) {
	u.receive(receiptSent, append([]uint64{uint64(m.id.number), uint64(to), number(doubt)}, m.digest.numbers()...)...)
}

func (u *user) receiveOf(kind uint64, message id, doubt bool, more ...uint64) {
	u.receive(kind, append([]uint64{uint64(message.user), message.epoch, uint64(message.number), number(doubt)}, more...)...)
}

func number(yes bool) uint64 {
	if yes {
		return 1
	}
	return 0
}
