package mariadb

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/dial"
	"plimsoll/internal/client/sqlwire/sqlwiretest"
	"plimsoll/internal/describe/endpoint"
)

// What keeps a run from an existing server is known before anything is made there.
func TestAsk(t *testing.T) {
	server := sqlwiretest.Start(t, sqlwire.MariaDB, "--local-infile=1", "--log-bin=log")
	admin := openAdmin(t, server)
	sqlwiretest.MustDo(t, admin, "create user reader identified by 'secret'", "grant select on plimsoll.* to reader",
		"create user locked identified by 'secret' account lock", "create user expired identified by 'secret' password expire", "grant all on plimsoll.* to expired")
	tcp := sqlwiretest.TCP(t, server)
	for _, c := range []struct {
		what           []string // that is done first
		user, password string
		says           string // empty where nothing keeps a run from it
	}{
		{nil, sqlwiretest.Plain, "secret", ""},
		{nil, sqlwiretest.Plain, "another", "password_env or password_file"},
		{nil, "stranger", "secret", "look at user"},
		{nil, "locked", "secret", "locked"},
		{nil, "expired", "secret", "SET PASSWORD"},
		{nil, "reader", "secret", "grant INSERT, UPDATE"},
		{[]string{"set global read_only = 1"}, sqlwiretest.Plain, "secret", "the server is read-only (read_only)"},
		{nil, "plimsoll", "secret", ""},                                                                        // whom read_only is not for
		{[]string{"set global read_only = 0", "set global tx_read_only = 1"}, sqlwiretest.Plain, "secret", ""}, // sessions set that they write
		{[]string{"set global rpl_semi_sync_master_enabled = 1"}, sqlwiretest.Plain, "secret", "wants 1, and 0 are connected"},
		{[]string{"set global rpl_semi_sync_master_wait_no_slave = 0"}, sqlwiretest.Plain, "secret", ""}, // it does not wait then
		{[]string{"set global rpl_semi_sync_master_wait_no_slave = 1", "set global rpl_semi_sync_master_enabled = 0"}, sqlwiretest.Plain, "secret", ""},
		{[]string{"set global local_infile = 0"}, sqlwiretest.Plain, "secret", "set global local_infile = 1"},
	} {
		sqlwiretest.MustDo(t, admin, c.what...)
		e := tcp
		e.User, e.Password, e.Lent = c.user, c.password, true
		s, err := Engine{}.Ask(t.Context(), e)
		text := strings.Join(s.Refuses, "; ")
		if err != nil {
			text += err.Error()
		}
		if c.says == "" && text != "" || !strings.Contains(text, c.says) {
			t.Errorf("%q, user %s, password %s: it says %q, want %q", c.what, c.user, c.password, text, c.says)
		}
	}
}

func openAdmin(t *testing.T, e endpoint.Endpoint) sqlwire.Conn {
	t.Helper()
	c, err := dial.Open(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestRights(t *testing.T) {
	for _, c := range []struct {
		grants []string
		lacks  []string
		writes bool
	}{
		{[]string{"GRANT ALL PRIVILEGES ON *.* TO `a`@`%` IDENTIFIED BY PASSWORD '*1' WITH GRANT OPTION"}, nil, true},
		{[]string{"GRANT USAGE ON *.* TO `a`@`%`", "GRANT ALL PRIVILEGES ON `shop\\_1`.* TO `a`@`%`"}, nil, false},
		{[]string{"GRANT USAGE ON *.* TO `a`@`%`", "GRANT ALL PRIVILEGES ON `sh%`.* TO `a`@`%`"}, nil, false},
		{[]string{"GRANT USAGE ON *.* TO `a`@`%`", "GRANT ALL PRIVILEGES ON `shop\\_2`.* TO `a`@`%`"}, needed(), false},
		{[]string{"GRANT READ_ONLY ADMIN ON *.* TO `a`@`%`", "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, REFERENCES, INDEX, ALTER ON `shop_1`.* TO `a`@`%`"}, []string{"DROP"}, true},
		{[]string{"GRANT `shopper` TO `a`@`%`", "GRANT USAGE ON *.* TO `a`@`%`"}, nil, false},
		{[]string{"GRANT USAGE ON *.* TO `a`@`%`", "GRANT SELECT ON `shop_1`.`t` TO `a`@`%`"}, needed(), false},
	} {
		r := rightsOf(c.grants, "shop_1")
		if got := r.lacks(); !slices.Equal(got, c.lacks) && len(got)+len(c.lacks) > 0 || r.writesAnyway() != c.writes {
			t.Errorf("%q: lacks %q, writes anyway: %t", c.grants, got, r.writesAnyway())
		}
	}
}
