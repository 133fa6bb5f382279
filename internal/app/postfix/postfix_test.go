package postfix_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/app/postfix"
	"plimsoll/internal/client/mailbox"
	"plimsoll/internal/conformance/apptest"
	"plimsoll/internal/conformance/mailboxtest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
)

// stores are the mailboxes behind the servers of a test.
type stores struct{ behind endpoint.Endpoint }

func (s *stores) suite() apptest.Suite {
	return apptest.Suite{
		Engine: postfix.Engine{}, Platform: localtest.Platform, Volume: localtest.Volume,
		Least: 64 << 20, Small: 160 << 20, Configure: s.configure, Open: s.open,
	}
}

// configure starts the server that keeps the mailboxes.
func (s *stores) configure(t *testing.T, p platform.Platform, c app.Config) app.Config {
	_, s.behind = mailboxtest.Dovecot(t, p, app.Config{Name: "behind-" + c.Name, Users: 40, Password: c.Password, AdminPassword: c.AdminPassword})
	c.Peers = []endpoint.Endpoint{s.behind}
	return c
}

// queue is a mail server as a store: what was sent is in the mailbox behind it.
type queue struct {
	e    endpoint.Endpoint
	to   apptest.Store
	sent map[string]bool
}

func (s *stores) open(ctx context.Context, c app.Config, e endpoint.Endpoint) (apptest.Store, error) {
	e.Password = s.behind.Password                          // which a test may have changed in the server's configuration
	out, err := mailbox.OpenOutbox(ctx, e, mailboxtest.Box) // it answers
	if err != nil {
		return nil, err
	}
	if err := out.Quit(); err != nil {
		return nil, err
	}
	to, err := mailboxtest.Open(ctx, c, s.behind)
	if err != nil {
		return nil, err
	}
	return &queue{e, to, map[string]bool{}}, nil
}

// Put sends a message.
func (q *queue) Put(ctx context.Context, key, value string) error {
	out, err := mailbox.OpenOutbox(ctx, q.e, mailboxtest.Box)
	if err != nil {
		return err
	}
	at := mailbox.Address(mailboxtest.Box)
	defer out.Close()
	return out.SendMail(at, []string{at}, strings.NewReader(mailboxtest.Message(key, value)))
}

// Get waits until the message is there.
func (q *queue) Get(ctx context.Context, key string) (value string, err error) {
	err = mailboxtest.Eventually(ctx, func() (err error) { value, err = q.to.Get(ctx, key); return err })
	return value, err
}

// Count waits until the queue is empty.
func (q *queue) Count(ctx context.Context) (n int, err error) {
	err = mailboxtest.Eventually(ctx, func() error {
		r, err := postfix.Engine{}.Read(ctx, q.e)
		if err == nil && r.Busy+r.Waiting > 0 {
			return fmt.Errorf("%g messages are in the queue", r.Busy+r.Waiting)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	return q.to.Count(ctx)
}

func (q *queue) Close() error { return q.to.Close() }

func TestEngine(t *testing.T) { apptest.Run(t, new(stores).suite()) }

// TestEngineAsPlainUser does without another user, control groups and namespaces.
func TestEngineAsPlainUser(t *testing.T) {
	localtest.AsPlainUser(t, "^TestEngine$/(described|restart|kill|copy)")
}

// Mail is taken from users who log in, for mailboxes of the instance.
func TestNoMailLeavesTheInstance(t *testing.T) {
	b := apptest.New(t, new(stores).suite())
	p, c := b.Configured(t, "inside")
	e := b.Start(t, p, c, b.Initialised(t, p, c)).Endpoint()
	send := func(user, to string) error {
		out, err := mailbox.OpenOutbox(t.Context(), e, user)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		return out.SendMail(mailbox.Address("a"), []string{to}, strings.NewReader(mailboxtest.Message("x", "y")))
	}
	if err := send("", mailbox.Address("a")); err == nil {
		t.Error("it takes mail from who has not logged in")
	}
	if err := send("a", mailbox.Address("b")); err != nil {
		t.Error(err)
	}
	e.Password = "wrong"
	if out, err := mailbox.OpenOutbox(t.Context(), e, "a"); err == nil {
		out.Close()
		t.Error("it takes any password")
	}
}

func TestSettingsAreJudged(t *testing.T) {
	apptest.JudgesSettings(t, postfix.Engine{}, map[string]apptest.Setting{
		"misspelt":  {Name: "default_proces_limit", Value: "9", Reason: "has no setting default_proces_limit", Hint: "did you mean \"default_process_limit\"?"},
		"no number": {Name: "queue_minfree", Value: "all", Reason: `"all" is not a number`},
		"too small": {Name: "default_process_limit", Value: "0", Reason: `"0" is not a number of 2`},
		"ours":      {Name: "virtual_transport", Value: "x", Reason: "Plimsoll sets virtual_transport", Hint: "remove it"},
		"outward":   {Name: "relayhost", Value: "x", Reason: "which a study may not", Hint: "remove it"},
		"right":     {Name: "message_size_limit", Value: "20480000"},
	})
}
