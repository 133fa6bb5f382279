package sqlwiretest

import (
	"testing"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/describe/endpoint"
)

// Spoilt starts a server whose sessions begin with everything that a user may have as a
// default, and that a session of ours must not have.
func Spoilt(tb testing.TB, engine string) endpoint.Endpoint {
	tb.Helper()
	if engine == sqlwire.MariaDB {
		e := Start(tb, engine, "--skip-character-set-client-handshake", "--character-set-server=latin1")
		c := open(tb, e)
		defer c.Close()
		MustDo(tb, c, "set global max_statement_time = 7", "set global wait_timeout = 7", "set global idle_transaction_timeout = 7",
			"set global lock_wait_timeout = 7", "set global innodb_lock_wait_timeout = 7", "set global completion_type = 1", "set global default_storage_engine = MyISAM",
			"set global sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'", "set global time_zone = '+05:00'", "set global tx_isolation = 'SERIALIZABLE'",
			"set global sql_safe_updates = 1", "set global init_connect = 'set autocommit = 0, sql_select_limit = 1'", "set global autocommit = 0", "set global tx_read_only = 1")
		e.User = Plain // init_connect does not apply to superusers
		return e
	}
	e := Start(tb, engine)
	c := open(tb, e)
	defer c.Close()
	MustDo(tb, c, "alter role plimsoll set search_path = nowhere", "alter role plimsoll set default_transaction_isolation = serializable",
		"alter role plimsoll set default_transaction_read_only = on", "alter role plimsoll set statement_timeout = '7s'", "alter role plimsoll set lock_timeout = '7s'",
		"alter role plimsoll set idle_in_transaction_session_timeout = '7s'", "alter role plimsoll set idle_session_timeout = '7s'",
		"alter role plimsoll set timezone = 'Asia/Kolkata'", "alter role plimsoll set datestyle = 'German'", "alter role plimsoll set client_encoding = 'LATIN1'",
		"alter role plimsoll set standard_conforming_strings = off", "alter role plimsoll set bytea_output = escape")
	return e
}

// Settled lists what sessions on existing servers have instead: a text for each
// expression.
func Settled(engine string) map[string]string {
	s := map[string]string{}
	if engine == sqlwire.MariaDB {
		for expression, value := range map[string]string{
			"@@autocommit": "ON", "@@tx_isolation": "REPEATABLE-READ", "@@tx_read_only": "OFF", "@@time_zone": "+00:00", "@@character_set_client": "utf8mb4",
			"@@character_set_results": "utf8mb4", "floor(@@max_statement_time)": "0", "@@wait_timeout": "28800", "@@idle_transaction_timeout": "0", "@@lock_wait_timeout": "86400",
			"@@innodb_lock_wait_timeout": "50", "@@sql_safe_updates": "OFF", "@@default_storage_engine": "InnoDB", "@@completion_type": "NO_CHAIN",
			"@@sql_mode":           "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION",
			"@@sql_select_limit+0": "18446744073709551615",
		} {
			s["cast("+expression+" as char)"] = value
		}
		return s
	}
	for name, value := range map[string]string{
		"search_path": `"$user", public`, "transaction_isolation": "read committed", "transaction_read_only": "off", "statement_timeout": "0", "lock_timeout": "0",
		"idle_in_transaction_session_timeout": "0", "idle_session_timeout": "0", "timezone": "UTC", "datestyle": "ISO, MDY", "client_encoding": "UTF8",
		"standard_conforming_strings": "on", "bytea_output": "hex",
	} {
		s["current_setting('"+name+"')"] = value
	}
	return s
}
