package mail_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"

	"plimsoll/internal/app"
	"plimsoll/internal/app/dovecot"
	"plimsoll/internal/app/postfix"
	"plimsoll/internal/client/mailbox"
	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/mail"
	"plimsoll/internal/workload/mix"
)

func parametersWith(change func(*mail.Parameters)) workload.Parameters {
	p := mail.Workload{}.Defaults().(*mail.Parameters)
	p.Messages, p.Idle, p.Deliver, p.Text = 6, unit.Duration(5e6), unit.Duration(60e9), 700
	p.Attachments = mix.Sizes{{Bytes: 0, Weight: 3}, {Bytes: 1000, Weight: 1}, {Bytes: 100_000, Weight: 1}}
	change(p)
	return p
}

func as(settings map[string]string) app.Engine { return configured{settings: settings} }

// configured is Dovecot with settings.
type configured struct {
	dovecot.Engine
	settings map[string]string
}

func (c configured) Server(in app.Installation, a app.Config) app.Server {
	a.Settings = c.settings
	return c.Engine.Server(in, a)
}

func TestConformance(t *testing.T) {
	for name, format := range map[string]string{"maildir": "maildir", "mdbox": "mdbox"} {
		t.Run(name, func(t *testing.T) {
			workloadtest.Run(t, workloadtest.Suite{
				Workload: mail.Workload{}, Parameters: parametersWith(func(*mail.Parameters) {}),
				Environment: workloadtest.Here(as(map[string]string{"mail_format": format}), postfix.Engine{}),
				Damages:     damages(),
				Wrong: map[string]workload.Parameters{
					"mix":         parametersWith(func(p *mail.Parameters) { p.Mix = mix.Verbs{{Verb: "shred", Weight: 1}} }),
					"sends":       parametersWith(func(p *mail.Parameters) { p.Mix = mix.Verbs{{Verb: "read", Weight: 1}} }),
					"messages":    parametersWith(func(p *mail.Parameters) { p.Messages = 0 }),
					"text":        parametersWith(func(p *mail.Parameters) { p.Text = 0 }),
					"attachments": parametersWith(func(p *mail.Parameters) { p.Attachments = mix.Sizes{{Bytes: 8 << 20, Weight: 1}} }),
					"idle":        parametersWith(func(p *mail.Parameters) { p.Idle = 0 }),
					"deliver":     parametersWith(func(p *mail.Parameters) { p.Deliver = 0 }),
				},
			})
		})
	}
}

// damages are done to the last message that a session sent to some mailbox, and undone.
func damages() []workloadtest.Damage {
	const accepted = "every message that was accepted is in its mailboxes"
	var was []byte
	damage := func(name, fails string, replace func(text []byte) [][]byte) workloadtest.Damage {
		return workloadtest.Damage{
			Name: name, Fails: fails,
			Do: func(t *testing.T, target workload.Target, _ [][]byte) {
				was = take(t, target)
				put(t, target, replace(bytes.Clone(was))...)
			},
			Undo: func(t *testing.T, target workload.Target, _ [][]byte) {
				for range replace(bytes.Clone(was)) {
					take(t, target)
				}
				put(t, target, was)
			},
		}
	}
	return []workloadtest.Damage{
		damage("a message is lost", accepted, func([]byte) [][]byte { return nil }),
		damage("a message is there twice", "messages that are in a mailbox more than once", func(text []byte) [][]byte { return [][]byte{text, text} }),
		damage("a letter of a message is changed", "messages whose digest is another", func(text []byte) [][]byte {
			text[len(text)-20] ^= 1
			return [][]byte{text}
		}),
		damage("a message that nobody sent", "messages that nobody sent", func(text []byte) [][]byte {
			return [][]byte{text, []byte(strings.Replace(string(text), "Message-ID: <", "Message-ID: <0", 1))}
		}),
	}
}

func inbox(t *testing.T, target workload.Target) *mailbox.Inbox {
	t.Helper()
	in, err := mailbox.OpenInbox(t.Context(), target.Endpoint("mail"), "u00000")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in
}

// take removes the last message of a mailbox and gives its text.
func take(t *testing.T, target workload.Target) []byte {
	t.Helper()
	in := inbox(t, target)
	about, err := in.Select("INBOX", nil).Wait()
	if err != nil || about.NumMessages == 0 {
		t.Fatalf("%+v, %v", about, err)
	}
	last, whole := imap.SeqSetNum(about.NumMessages), &imap.FetchItemBodySection{Peek: true}
	got, err := in.Fetch(last, &imap.FetchOptions{BodySection: []*imap.FetchItemBodySection{whole}}).Collect()
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Store(last, &imap.StoreFlags{Op: imap.StoreFlagsAdd, Silent: true, Flags: []imap.Flag{imap.FlagDeleted}}, nil).Close(); err != nil {
		t.Fatal(err)
	}
	if err := in.Expunge().Close(); err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(got[0].FindBodySection(whole))
}

func put(t *testing.T, target workload.Target, texts ...[]byte) {
	t.Helper()
	in := inbox(t, target)
	for _, text := range texts {
		cmd := in.Append("INBOX", int64(len(text)), nil)
		if _, err := io.Copy(cmd, bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
}
