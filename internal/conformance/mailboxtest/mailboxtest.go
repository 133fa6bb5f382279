// Package mailboxtest gives tests a Store of apptest in a mailbox, and real mail servers.
package mailboxtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"plimsoll/internal/app"
	"plimsoll/internal/app/dovecot"
	"plimsoll/internal/client/mailbox"
	"plimsoll/internal/conformance/apptest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
)

// Box is the mailbox that tests use.
const Box = "store"

// Store is a mailbox whose messages are values, under keys that are their subjects.
type Store struct{ in *mailbox.Inbox }

// Open logs in to the mailbox.
func Open(ctx context.Context, _ app.Config, e endpoint.Endpoint) (apptest.Store, error) {
	in, err := mailbox.OpenInbox(ctx, e, Box)
	if err != nil {
		return nil, err
	}
	return Store{in}, nil
}

// Message is the text of one with a subject and a body of one line.
func Message(subject, body string) string {
	return fmt.Sprintf("From: <%s>\r\nTo: <%[1]s>\r\nSubject: %s\r\nMessage-ID: <%s@test>\r\n\r\n%s\r\n", mailbox.Address(Box), subject, subject, body)
}

// Put implements apptest.Store.
func (s Store) Put(_ context.Context, key, value string) error {
	text := Message(key, value)
	cmd := s.in.Append("INBOX", int64(len(text)), nil)
	_, err := cmd.Write([]byte(text))
	if err = errors.Join(err, cmd.Close()); err != nil {
		return err
	}
	_, err = cmd.Wait()
	return err
}

// All gives the messages by their subjects: a mail server that was stopped may have delivered
// one twice (RFC 5321, 6.1).
func (s Store) All() (map[string]string, error) {
	box, err := s.in.Select("INBOX", nil).Wait()
	if err != nil || box.NumMessages == 0 {
		return nil, err
	}
	whole := &imap.FetchItemBodySection{Peek: true}
	found, err := s.in.Fetch(imap.SeqSet{{Start: 1, Stop: box.NumMessages}}, &imap.FetchOptions{BodySection: []*imap.FetchItemBodySection{whole}}).Collect()
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, m := range found {
		text, err := mail.ReadMessage(strings.NewReader(string(m.FindBodySection(whole))))
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(text.Body)
		if err != nil {
			return nil, err
		}
		all[text.Header.Get("Subject")] = strings.TrimSuffix(string(body), "\r\n")
	}
	return all, nil
}

// Get implements apptest.Store.
func (s Store) Get(_ context.Context, key string) (string, error) {
	all, err := s.All()
	if err != nil {
		return "", err
	}
	value, ok := all[key]
	if !ok {
		return "", fmt.Errorf("there is no message %s", key)
	}
	return value, nil
}

// Count implements apptest.Store.
func (s Store) Count(context.Context) (int, error) {
	all, err := s.All()
	return len(all), err
}

// Close implements apptest.Store.
func (s Store) Close() error { return s.in.Close() }

// Dovecot starts a server on a platform, which ends with the platform, and gives its
// endpoint as users and as other servers reach it.
func Dovecot(t *testing.T, p platform.Platform, c app.Config) (platform.Process, endpoint.Endpoint) {
	t.Helper()
	e := dovecot.Engine{}
	in, err := e.Find(t.Context(), "", false)
	if err != nil {
		t.Skip(err)
	}
	v := localtest.Volume(t, p, c.Name)
	for _, step := range e.Initialise(in, c) {
		if err := p.Run(t.Context(), step, v); err != nil {
			t.Fatal(err)
		}
	}
	process, err := p.Start(t.Context(), e.Server(in, c), v)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // before its volume is removed, to which it would write
		if err := process.Kill(); err != nil {
			t.Error(err)
		}
		<-process.Done()
	})
	return process, process.Endpoint()
}

// Eventually tries something that comes true by itself, such as a delivery, for a minute.
func Eventually(ctx context.Context, try func() error) (err error) {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if err = try(); err == nil || time.Now().After(deadline) || ctx.Err() != nil {
			return err
		}
	}
}
