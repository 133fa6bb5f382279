package postfix

import (
	"context"
	"strconv"

	"plimsoll/internal/app"
	"plimsoll/internal/client/mailbox"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
)

// usualProcesses is how many of each kind it runs at once, where a study says nothing.
const usualProcesses = 100

// settings of a study, by Postfix's own names, with the range of each.
var settings = map[string]app.ValueCheck{
	"default_process_limit":                 app.Whole(2, 10_000),
	"default_destination_concurrency_limit": app.Whole(1, 10_000),
	"default_destination_recipient_limit":   app.Whole(1, 10_000),
	"qmgr_message_active_limit":             app.Whole(1, 1_000_000),
	"qmgr_message_recipient_limit":          app.Whole(1, 1_000_000),
	"message_size_limit":                    app.Whole(1<<10, 1<<30),
	"queue_minfree":                         app.Whole(0, 1<<40),
	"lmtp_connection_reuse_count_limit":     app.Whole(0, 10_000),
}

// leastMemory is the least in which a server starts, in bytes.
const leastMemory = 64 * mib

// CheckConfig implements app.ConfigChecker by the list above.
func (e Engine) CheckConfig(_ context.Context, in app.Installation, c app.Config) ([]describe.Problem, error) {
	return app.JudgeListed(in, c, "Postfix", leastMemory, e.Outward(), settings)
}

// Outward implements app.ConfigChecker: where it listens, where its files are and where mail
// goes is ours, and what runs programs or leads to other machines is refused.
func (Engine) Outward() app.OutwardSettings {
	return app.OutwardSettings{
		Owned: []string{
			"config_directory", "queue_directory", "data_directory", "daemon_directory", "command_directory", "meta_directory", "shlib_directory",
			"mail_owner", "setgid_group", "default_privs", "inet_interfaces", "inet_protocols", "maillog_file", "virtual_transport", "import_environment",
			"smtpd_sasl_*", "smtpd_recipient_restrictions", "smtpd_relay_restrictions", "virtual_mailbox_*", "default_transport", "relay_transport",
		},
		Powers: []string{
			"mailbox_command", "content_filter", "smtpd_milters", "non_smtpd_milters", "debugger_command", "export_environment", "relayhost",
			"mynetworks", "alias_*", "virtual_alias_*", "transport_maps", "local_*", "smtpd_proxy_filter",
		},
	}
}

// services is master.cf, without what sends mail to other machines.
const services = `${HOST}:${PORT} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
lmtp unix - - n - - lmtp
error unix - - n - - error
retry unix - - n - - error
showq unix n - n - - showq
postlog unix-dgram n - n - 1 postlogd
`

// setting is a line of main.cf.
func setting(s app.Setting) string { return s.Name() + " = " + s.Value() + "\n" }

// configuration is main.cf. A message that cannot be delivered is tried again after seconds
// rather than Postfix's minutes: an audit waits for it.
func configuration(in app.Installation, c app.Config) string {
	store, _ := mailbox.StoreOf(behind(c)) // a plan does not know it
	return app.Configuration(setting, c.Settings, []app.Setting{
		{"compatibility_level", "3.6"},
		{"config_directory", "${RUNTIME}"},
		{"meta_directory", "${RUNTIME}"},
		{"queue_directory", queue},
		{"data_directory", "${RUNTIME}/data/state"},
		{"daemon_directory", in.Paths[daemons]},
		{"mail_owner", "plimsoll"},
		{"setgid_group", "plimdrop"},
		{"default_privs", "nobody"},
		{"import_environment", "MAIL_CONFIG LANG=C TZ=UTC LD_PRELOAD UID_WRAPPER UID_WRAPPER_ROOT NSS_WRAPPER_PASSWD NSS_WRAPPER_GROUP PLIMSOLL_OBJECT"},
		{"maillog_file", "/dev/stdout"},
		{"syslog_name", "postfix"},
		{"myhostname", mailbox.Host},
		{"mydomain", mailbox.Domain},
		{"inet_interfaces", "${HOST}"},
		{"inet_protocols", "ipv4"},
		{"default_process_limit", strconv.Itoa(usualProcesses)},
	}, []app.Setting{ // who may send, and to whom
		{"mydestination", ""},
		{"alias_maps", ""},
		{"alias_database", ""},
		{"local_recipient_maps", ""},
		{"virtual_mailbox_domains", mailbox.Domain},
		{"virtual_transport", "lmtp:unix:" + store.LMTP},
		{"default_transport", "error:no mail leaves the instance"},
		{"relay_transport", "error:no mail leaves the instance"},
		{"smtpd_sasl_auth_enable", "yes"},
		{"smtpd_sasl_type", "dovecot"},
		{"smtpd_sasl_path", "unix:" + store.Auth},
		{"smtpd_recipient_restrictions", "permit_sasl_authenticated, reject"},
		{"smtpd_relay_restrictions", "permit_sasl_authenticated, reject"},
		{"smtpd_peername_lookup", "no"},
		{"disable_dns_lookups", "yes"},
		{"disable_vrfy_command", "yes"},
		{"smtpd_client_connection_count_limit", "0"},
		{"smtpd_client_connection_rate_limit", "0"},
		{"smtpd_client_event_limit_exceptions", "static:all"},
	}, []app.Setting{ // a second try
		{"minimal_backoff_time", "5s"},
		{"maximal_backoff_time", "30s"},
		{"queue_run_delay", "5s"},
	})
}

// behind is the server that keeps the mailboxes.
func behind(c app.Config) (e endpoint.Endpoint) {
	for _, p := range c.Peers {
		if p.Kind == mailbox.IMAP {
			return p
		}
	}
	return e
}
