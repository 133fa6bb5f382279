// Package dovecot makes Dovecot servers: mailboxes on a volume, which users read by IMAP and
// a mail server fills by LMTP. The settings and the reasons for them are in docs/engines.md.
package dovecot

import (
	"regexp"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/client/mailbox"
	"plimsoll/internal/describe/endpoint"
)

// Engine makes Dovecot servers.
type Engine struct{}

var _ app.Engine = Engine{}

// Capabilities implements app.Engine.
func (e Engine) Capabilities() app.Capabilities {
	return app.Capabilities{Checker: e, Config: e, Notes: e.Notes}
}

// Name is the engine's key in studies.
func (Engine) Name() string { return name }

// Kind implements app.Engine.
func (Engine) Kind() string { return mailbox.IMAP }

const (
	configFile = "${RUNTIME}/dovecot.conf"
	startFile  = "${RUNTIME}/start"
	socket     = "imap.sock" // in ${RUNTIME}, as are the next
	lmtpSocket = "${RUNTIME}/lmtp.sock"
	authSocket = "${RUNTIME}/auth.sock"
	mail       = "${VOLUME}/mail"
)

// Initialise makes the directory of the mailboxes, which themselves are made by the first
// message or the first user.
func (Engine) Initialise(_ app.Installation, c app.Config) []app.Server {
	return []app.Server{app.MakeDirectories(c, mail)}
}

// Server serves every mailbox with one password, on unix sockets alone. All of its processes
// are the one user whom the volume belongs to.
func (Engine) Server(in app.Installation, c app.Config) app.Server {
	return app.Daemon(c, app.Server{
		Kind:    mailbox.IMAP,
		Command: []string{"/bin/sh", startFile, in.Paths[program], "${RUNTIME}", "${VOLUME}"},
		Files: []app.File{
			{Path: configFile, Content: configuration(c), Mode: 0o600},
			{Path: startFile, Content: start, Mode: 0o600},
		},
		Socket:      socket,
		User:        c.User,
		Password:    c.Password,
		Payload:     endpoint.With(mailbox.Store{LMTP: lmtpSocket, Auth: authSocket}),
		Ready:       mailbox.Greeted,
		Complaints:  complaints,
		StopTimeout: time.Minute,
		Named:       true,
	})
}

// start refuses a volume that was not laid out, gives it a plain path, tells the
// configuration who it runs as, and becomes the server.
const start = `set -eu
umask 077
if [ ! -d "$3/mail" ]; then
	echo "Fatal: the volume is empty: it was not prepared for Dovecot" >&2
	exit 1
fi
ln -sfn "$3" "$2/data"
user=$(id -un)
printf 'default_internal_user = %s\ndefault_login_user = %s\nmail_uid = %s\nmail_gid = %s\n' \
	"$user" "$user" "$(id -u)" "$(id -g)" > "$2/user.conf"
exec "$1" -F -c "$2/dovecot.conf"
`

// complaints match log lines with the reason for giving up, and with limits that were reached.
var complaints = regexp.MustCompile(`(?:Fatal|Panic|Error): |process_limit|client_limit|Out of disk space|No space left`)

// Memory is the server's need when all users are connected: 40 MiB for its first processes,
// and 4 MiB for the process of each user.
func (Engine) Memory(c app.Config) int64 { return c.Limits.Bound(40*mib + int64(c.Users)*4*mib) }

// Overhead implements app.Engine: an empty volume holds a directory.
func (Engine) Overhead() int64 { return 8 << 10 }

const mib = 1 << 20
