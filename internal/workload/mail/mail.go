// Package mail is the work of users of a mail system: each reads, answers, forwards, sends,
// moves, deletes and searches messages at a rate of its own, by IMAP in its mailbox and by
// SMTP. Every message that it sends goes to another user and, in place of a copy among those
// sent, to itself, so that the user sees when it is delivered. The audit asks whether each
// message that was accepted is in its mailboxes, once, with its digest.
package mail

import (
	"context"
	"fmt"

	"plimsoll/internal/client/mailbox"
	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
)

// Name is the workload's key in studies.
const Name = "mail"

// Workload implements workload.Workload.
type Workload struct{}

var _ workload.Workload = Workload{}

// Capabilities implements workload.Workload.
func (w Workload) Capabilities() workload.Capabilities {
	return workload.Capabilities{Audit: w.Audit}
}

// Name returns the registry key.
func (Workload) Name() string { return Name }

// Defaults returns fresh parameters.
func (Workload) Defaults() workload.Parameters { return defaults() }

// Describe returns the unit of work, an action of a user, and the operations.
func (Workload) Describe(p workload.Parameters) describe.Profile {
	profile := describe.Profile{
		Workload: Name,
		Unit:     describe.Unit{Name: "action", Plural: "actions", Throughput: "actions/min", Seconds: 60},
	}
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return profile
	}
	profile.Operations, profile.Unused = own.operations(), own.unused()
	profile.UserRate = own.rate()
	profile.Growth = own.sending() * 2 * own.average()
	return profile
}

// Roles of an instance.
const (
	mailRole = "mail"
	smtpRole = "smtp"
)

// Roles are the mailboxes, and the server that takes messages, keeps them in its queue and
// delivers them.
func (Workload) Roles(workload.Parameters) []workload.Role {
	return []workload.Role{
		{Name: mailRole, Kinds: []string{mailbox.IMAP}, Mounts: workload.Data(), Needed: workload.Always},
		{
			Name: smtpRole, Kinds: []string{mailbox.SMTP}, After: []string{mailRole}, Mounts: workload.Data(),
			Needed: workload.Presence{Drive: true, Audit: true},
		},
	}
}

// The approximate overhead of a message: its inode, its entries in an index, its header,
// and the rest of its last block.
const messageBytes = 5 << 10

// Dataset describes what Prepare writes. It has no key, because mailboxes belong to users.
func (Workload) Dataset(p workload.Parameters, kinds workload.Kinds, _ uint64) workload.Dataset {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil || kinds[mailRole] != mailbox.IMAP {
		return workload.Dataset{}
	}
	return workload.Loaded(mailRole, fmt.Sprintf("%d messages for each user, attachments of %s", own.Messages, own.Attachments),
		workload.Contents{Space: workload.Space{
			UserBytes: int64(float64(own.Messages+2) * (own.average() + messageBytes)),
			UserFiles: own.Messages + 8,
		}})
}

// usersOf is how many mailboxes there are; it is 1 where nobody says.
func usersOf(t workload.Target) int64 { return int64(max(1, t.Users)) }

// Open starts one user.
func (Workload) Open(ctx context.Context, t workload.Target, p workload.Parameters, user int, seed uint64) (workload.Session, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return nil, err
	}
	return openUser(ctx, t, own, user, seed)
}
