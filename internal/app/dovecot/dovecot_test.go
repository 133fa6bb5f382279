package dovecot_test

import (
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/app/dovecot"
	"plimsoll/internal/client/mailbox"
	"plimsoll/internal/conformance/apptest"
	"plimsoll/internal/conformance/mailboxtest"
	"plimsoll/internal/platform/local/localtest"
)

func TestEngine(t *testing.T) { apptest.Run(t, suite()) }

func suite() apptest.Suite {
	return apptest.Suite{
		Engine: dovecot.Engine{}, Platform: localtest.Platform, Volume: localtest.Volume,
		Least: 64 << 20, Small: 160 << 20, Open: mailboxtest.Open,
	}
}

// TestEngineAsPlainUser does without another user, control groups and namespaces.
func TestEngineAsPlainUser(t *testing.T) {
	localtest.AsPlainUser(t, "^TestEngine$/(described|restart|kill|copy)")
}

// Nobody gets in with another password, and the administrator gets into every mailbox.
func TestPasswords(t *testing.T) {
	b := apptest.New(t, suite())
	p, c := b.Configured(t, "passwords")
	e := b.Start(t, p, c, b.Initialised(t, p, c)).Endpoint()
	if in, err := mailbox.OpenInbox(t.Context(), c.AsAdmin(e), "anybody"); err != nil {
		t.Error(err)
	} else if err := in.Close(); err != nil {
		t.Error(err)
	}
	for _, wrong := range []string{"", "x", c.Password + " ", "{SHA256.HEX}"} {
		e.Password = wrong
		if in, err := mailbox.OpenInbox(t.Context(), e, "anybody"); err == nil {
			in.Close()
			t.Errorf("the password %q lets users in", wrong)
		}
	}
}

func TestSettingsAreJudged(t *testing.T) {
	apptest.JudgesSettings(t, dovecot.Engine{}, map[string]apptest.Setting{
		"misspelt":  {Name: "mail_formt", Value: "mdbox", Reason: "has no setting mail_formt", Hint: "did you mean \"mail_format\"?"},
		"no format": {Name: "mail_format", Value: "mbox", Reason: `"mbox" is none of`},
		"no number": {Name: "imap_process_limit", Value: "many", Reason: `"many" is not a number`},
		"no size":   {Name: "mdbox_rotate_size", Value: "10MB", Reason: `"10MB" is not a size`},
		"ours":      {Name: "mail_location", Value: "x", Reason: "Plimsoll sets mail_location", Hint: "remove it"},
		"a plugin":  {Name: "mail_plugins", Value: "x", Reason: "which a study may not", Hint: "remove it"},
		"right":     {Name: "mail_fsync", Value: "always"},
		"a size":    {Name: "mdbox_rotate_size", Value: "2M"},
	})
}

// Giving up durability causes a note.
func TestNotes(t *testing.T) {
	for value, want := range map[string]int{"": 0, "optimized": 0, "always": 0, "never": 1} {
		if got := (dovecot.Engine{}).Notes(app.Config{Settings: map[string]string{"mail_fsync": value}}); len(got) != want {
			t.Errorf("mail_fsync %q: %q", value, got)
		}
	}
}
