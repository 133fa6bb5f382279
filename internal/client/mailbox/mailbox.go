// Package mailbox reaches mail servers. It defines the kinds of their endpoints, the
// endpoints' payloads, and connections that a user has logged in on.
package mailbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"strings"

	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"plimsoll/internal/describe/endpoint"
)

// Kinds of endpoints. All mailboxes of a server share the endpoint's password.
const (
	IMAP = "imap" // where users read mail; its payload is a Store
	SMTP = "smtp" // where users send it; its payload is a Relay
)

// Domain is the domain of all mailboxes. It is reserved for tests (RFC 2606), so no mail
// leaves the instance whatever the server does.
const Domain = "plimsoll.test"

// Host is what mail servers call themselves.
const Host = "mail." + Domain

// Store is the payload of the kind IMAP: unix sockets for the mail server of the same
// instance.
type Store struct {
	LMTP string `json:"lmtp"` // takes mail for every mailbox (RFC 2033)
	Auth string `json:"auth"` // judges the passwords of users who send
}

// Relay is the payload of the kind SMTP.
type Relay struct {
	// Queue is the directory of messages that were accepted and not delivered yet.
	Queue string `json:"queue"`
}

// Address returns the address of a user's mailbox: u00007@plimsoll.test.
func Address(user string) string { return user + "@" + Domain }

// User is the mailbox of an address of ours; empty for any other.
func User(address string) string {
	user, ours := strings.CutSuffix(address, "@"+Domain)
	if !ours {
		return ""
	}
	return user
}

// connect makes a connection that ends when ctx does.
func connect(ctx context.Context, e endpoint.Endpoint) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, e.Network, e.Address)
	if err != nil {
		return nil, fmt.Errorf("connect to %s at %s: %w", e.Kind, e.Address, err)
	}
	return c, nil
}

// Inbox is a connection to a mailbox.
type Inbox struct {
	*imapclient.Client
	conn net.Conn
}

// OpenInbox logs in to a mailbox (IMAP4rev1, SASL PLAIN).
func OpenInbox(ctx context.Context, e endpoint.Endpoint, user string) (*Inbox, error) {
	conn, err := connect(ctx, e)
	if err != nil {
		return nil, err
	}
	in := &Inbox{imapclient.New(conn, nil), conn}
	defer in.Until(ctx)()
	if err = in.WaitGreeting(); err == nil {
		err = in.Authenticate(sasl.NewPlainClient("", Address(user), e.Password))
	}
	if err != nil {
		_ = in.Close() // the first error says more
		return nil, fmt.Errorf("log in to mailbox %s: %w", user, err)
	}
	return in, nil
}

// Until breaks the connection when ctx ends. It gives the function that ends the watch.
func (i *Inbox) Until(ctx context.Context) (stop func()) { return until(ctx, i.conn) }

// Greeted reports whether an IMAP server answers.
func Greeted(ctx context.Context, e endpoint.Endpoint) error {
	conn, err := connect(ctx, e)
	if err != nil {
		return err
	}
	defer until(ctx, conn)()
	c := imapclient.New(conn, nil)
	defer c.Close() // only its greeting is wanted
	return c.WaitGreeting()
}

// Outbox is a connection that mail is sent on.
type Outbox struct {
	*smtp.Client
	conn net.Conn
}

// OpenOutbox connects to a mail server, as a user of a mailbox if one is given.
func OpenOutbox(ctx context.Context, e endpoint.Endpoint, user string) (*Outbox, error) {
	conn, err := connect(ctx, e)
	if err != nil {
		return nil, err
	}
	out := &Outbox{smtp.NewClient(conn), conn}
	defer out.Until(ctx)()
	if err = out.Hello("client." + Domain); err == nil && user != "" {
		err = out.Auth(sasl.NewPlainClient("", Address(user), e.Password))
	}
	if err != nil {
		_ = out.Close() // the first error says more
		return nil, fmt.Errorf("log in to %s as %s: %w", e.Address, user, err)
	}
	return out, nil
}

// Until closes the connection when ctx ends; see Inbox.Until.
func (o *Outbox) Until(ctx context.Context) (stop func()) { return until(ctx, o.conn) }

func until(ctx context.Context, conn net.Conn) func() {
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	return func() { stop() }
}

// StoreOf is the payload of an endpoint of the kind IMAP.
func StoreOf(e endpoint.Endpoint) (Store, error) { return endpoint.As[Store](e) }

// RelayOf is the payload of an endpoint of the kind SMTP.
func RelayOf(e endpoint.Endpoint) (Relay, error) { return endpoint.As[Relay](e) }

// Queue is how many messages a mail server has accepted and not delivered.
type Queue struct {
	Active   int64 // are being delivered
	Incoming int64 // have just come
	Deferred int64 // wait for another try
}

// Messages counts the files of the queue.
func (r Relay) Messages() (q Queue, err error) {
	for part, n := range map[string]*int64{"active": &q.Active, "incoming": &q.Incoming, "deferred": &q.Deferred} {
		if *n, err = files(filepath.Join(r.Queue, part)); err != nil {
			return q, fmt.Errorf("count the messages in a queue: %w", err)
		}
	}
	return q, nil
}

// files counts those below a directory, which come and go.
func files(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path != dir && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !d.IsDir():
			n++
		}
		return nil
	})
	return n, err
}
