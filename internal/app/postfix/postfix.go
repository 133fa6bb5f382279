// Package postfix makes Postfix servers: they take mail from users (SMTP), keep it in a
// queue on a volume, and deliver it to the mailboxes of a neighbouring Dovecot server
// (LMTP). The settings and the reasons for them are in docs/engines.md.
package postfix

import (
	"context"
	"regexp"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/client/mailbox"
	"plimsoll/internal/describe/endpoint"
)

// Engine makes Postfix servers.
type Engine struct{}

var _ app.Engine = Engine{}

// Capabilities implements app.Engine.
func (e Engine) Capabilities() app.Capabilities {
	return app.Capabilities{Checker: e, Config: e, Meter: e}
}

// Name is the engine's key in studies.
func (Engine) Name() string { return name }

// Kind implements app.Engine.
func (Engine) Kind() string { return mailbox.SMTP }

const (
	masterFile = "${RUNTIME}/master.cf"
	mainFile   = "${RUNTIME}/main.cf"
	startFile  = "${RUNTIME}/start"
	// queue is where it keeps messages, by the plain path that start makes.
	queue = "${RUNTIME}/data/queue"
)

// directories are the directories of a queue.
var directories = []string{
	"active", "bounce", "corrupt", "defer", "deferred", "flush", "hold", "incoming", "maildrop", "pid", "private", "public", "saved", "trace",
}

// Initialise makes the directories of the queue.
func (Engine) Initialise(_ app.Installation, c app.Config) []app.Server {
	paths := []string{"${VOLUME}/state", "${VOLUME}/queue"}
	for _, d := range directories {
		paths = append(paths, "${VOLUME}/queue/"+d)
	}
	return []app.Server{app.MakeDirectories(c, paths...)}
}

// Server takes mail from users who log in, for mailboxes of its own domain only. Postfix
// runs as root and changes to a user of its own; here two preloaded libraries make both
// names stand for the owner of the volume. The mailboxes' passwords apply.
func (Engine) Server(in app.Installation, c app.Config) app.Server {
	store := behind(c)
	return app.Daemon(c, app.Server{
		Kind: mailbox.SMTP, Port: 2525,
		Command: []string{"/bin/sh", startFile, in.Paths[daemons] + "/master", "${RUNTIME}", "${VOLUME}", in.Paths[accounts] + ":" + in.Paths[rights]},
		Files: []app.File{
			{Path: masterFile, Content: services, Mode: 0o600},
			{Path: mainFile, Content: configuration(in, c), Mode: 0o600},
			{Path: startFile, Content: start, Mode: 0o600},
		},
		User:        store.User,
		Password:    store.Password,
		Payload:     endpoint.With(mailbox.Relay{Queue: queue}),
		Ready:       ready,
		Complaints:  complaints,
		StopTimeout: time.Minute,
	})
}

// start refuses a volume without a queue, gives it a plain path, names the accounts that
// Postfix asks for, and starts the server. Postfix opens its log by name, and another user
// may own the file behind that name, so the log is a pipe. The master process finds no
// service to write its log and does so itself; otherwise its last message would be lost.
// The script drains the pipe before it ends. A server that is stopped first ends the
// deliveries in progress.
const start = `set -eu
umask 077
if [ ! -d "$3/queue" ]; then
	echo "fatal: the volume is empty: it was not prepared for Postfix" >&2
	exit 1
fi
ln -sfn "$3" "$2/data"
printf 'root:x:0:0::/:/bin/false\nplimsoll:x:%s:%s::/:/bin/false\nnobody:x:2000000000:2000000000::/:/bin/false\n' "$(id -u)" "$(id -g)" > "$2/passwd"
printf 'root:x:0:\nplimsoll:x:%s:\nplimdrop:x:2000000001:\nnogroup:x:2000000000:\n' "$(id -g)" > "$2/group"
cd "$3/queue"
rm -f ../state/log
mkfifo ../state/log
cat ../state/log &
POSTLOG_SERVICE="$2/none" POSTLOG_HOSTNAME=mail MAIL_CONFIG="$2" LD_PRELOAD="$4" UID_WRAPPER=1 UID_WRAPPER_ROOT=1 NSS_WRAPPER_PASSWD="$2/passwd" NSS_WRAPPER_GROUP="$2/group" \
	setsid "$1" -d -s -c "$2" > ../state/log &
server=$!
trap 'kill -TERM $server' TERM
status=0
wait $server || status=$?
while kill -0 $server 2>/dev/null; do
	wait $server || status=$?
done
rm -f ../state/log
wait
[ $status != 143 ] || status=0
exit $status
`

// complaints match log lines with the reason for giving up, and with limits that were reached.
var complaints = regexp.MustCompile(`(?:fatal|panic|error): |warning: .*(?:process limit|queue|No space left|unsupported|bad)`)

// ready asks for the greeting.
func ready(ctx context.Context, e endpoint.Endpoint) error {
	out, err := mailbox.OpenOutbox(ctx, e, "")
	if err != nil {
		return err
	}
	return out.Quit()
}

// Memory is the server's need when its users are busy: 40 MiB for its first processes, and
// 4 MiB for each user who sends at the same moment; it serves 100 of them.
func (Engine) Memory(c app.Config) int64 {
	return c.Limits.Bound(40*mib + int64(min(c.Users, usualProcesses))*4*mib)
}

// Overhead implements app.Engine: an empty volume holds the directories of the queue.
func (Engine) Overhead() int64 { return 64 << 10 }

const mib = 1 << 20
