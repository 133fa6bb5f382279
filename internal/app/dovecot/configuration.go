package dovecot

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
)

// Settings of a study.
const (
	format    = "mail_format"        // storage format of the mailboxes
	fsync     = "mail_fsync"         // when messages are flushed to the disk
	rotate    = "mdbox_rotate_size"  // of a file that holds several messages
	imapLimit = "imap_process_limit" // one process for each user who is connected
	lmtpLimit = "lmtp_process_limit" // one for each message that arrives
)

// settings lists the settings that a study may make.
var settings = map[string]app.ValueCheck{
	format:    app.Choice("maildir", "mdbox"),
	fsync:     app.Choice("optimized", "always", "never"),
	rotate:    size,
	imapLimit: number,
	lmtpLimit: number,
}

var number = app.Whole(1, 65536)

func size(value string) string {
	if digits := strings.TrimRight(value, "kMG"); len(value)-len(digits) <= 1 && number(digits) == "" {
		return ""
	}
	return fmt.Sprintf("%q is not a size such as 10M", value)
}

// leastMemory is the least in which a server starts, in bytes.
const leastMemory = 64 * mib

// CheckConfig implements app.ConfigChecker by the list above.
func (e Engine) CheckConfig(_ context.Context, in app.Installation, c app.Config) ([]describe.Problem, error) {
	return app.JudgeListed(in, c, "Dovecot", leastMemory, e.Outward(), settings)
}

// Outward implements app.ConfigChecker: it refuses settings of addresses, mailboxes and
// their places, which are ours, and settings that run or load other programs.
func (Engine) Outward() app.OutwardSettings {
	return app.OutwardSettings{
		Owned: []string{
			"base_dir", "state_dir", "log_path", "protocols", "listen", "mail_location", "mail_home", "mail_uid", "mail_gid", "ssl",
			"passdb", "userdb", "service", "default_internal_user", "default_internal_group", "default_login_user", "import_environment",
		},
		Powers: []string{"mail_plugins", "mail_plugin_dir", "auth_*", "dict", "plugin", "disable_plaintext_auth", "login_plugins", "login_plugin_dir"},
	}
}

// hash is a password as Dovecot keeps it: without characters that its configuration gives a
// meaning to.
func hash(password string) string {
	return fmt.Sprintf("{SHA256.HEX}%x", sha256.Sum256([]byte(password)))
}

// Notes implements app.Capabilities.
func (Engine) Notes(c app.Config) []string {
	if c.Settings[fsync] != "never" {
		return nil
	}
	return []string{"Dovecot acknowledges messages before they are on the disk (mail_fsync = never), so that a power cut may lose accepted messages"}
}

// spareProcesses are for loading, auditing and looking in.
const spareProcesses = 40

// location is where a user's messages are stored. All users have one home, which exists
// before they first log in.
func location(c app.Config) string {
	return cmp.Or(c.Settings[format], "maildir") + ":${RUNTIME}/data/mail/%n"
}

// configuration is dovecot.conf. Every mailbox exists; users and the administrator log in to
// each of them with a password of their own. One process serves the connections of many users
// until they have logged in, and one process each from then on.
func configuration(c app.Config) string {
	limit := func(setting string, usual int) string { return cmp.Or(c.Settings[setting], strconv.Itoa(usual)) }
	var b strings.Builder
	fmt.Fprintf(&b, `base_dir = ${RUNTIME}/run
state_dir = ${RUNTIME}/run
log_path = /dev/stderr
protocols = imap lmtp

import_environment = TZ PLIMSOLL_OBJECT
!include ${RUNTIME}/user.conf
default_internal_group =
first_valid_uid = 1
last_valid_uid = 0
ssl = no
disable_plaintext_auth = no
auth_mechanisms = plain
auth_verbose = yes
mail_location = %s
mail_fsync = %s
mdbox_rotate_size = %s
mail_max_userip_connections = 100
login_log_format_elements =
protocol imap {
  mail_max_userip_connections = 100
}
`, location(c), cmp.Or(c.Settings[fsync], "optimized"), cmp.Or(c.Settings[rotate], "10M"))
	for n, password := range []string{c.Password, c.AdminPassword} {
		fmt.Fprintf(&b, "passdb password%d {\n  driver = static\n  args = password=%s\n}\n", n, hash(password))
	}
	fmt.Fprintf(&b, `userdb {
  driver = static
  args = home=${RUNTIME}/data/mail allow_all_users=yes
}
service anvil {
  chroot =
}
service imap-login {
  chroot =
  service_count = 0
  client_limit = %d
  process_min_avail = 1
  inet_listener imap {
    port = 0
  }
  inet_listener imaps {
    port = 0
  }
  unix_listener ${RUNTIME}/%s {
    mode = 0660
  }
}
service imap {
  process_limit = %s
}
service lmtp {
  process_limit = %s
  unix_listener lmtp {
    mode = 0
  }
  unix_listener %s {
    mode = 0660
  }
}
service auth {
  unix_listener %s {
    mode = 0660
  }
}
`, 2*(c.Users+spareProcesses), socket, limit(imapLimit, c.Users+spareProcesses), limit(lmtpLimit, 100), lmtpSocket, authSocket)
	return b.String()
}
