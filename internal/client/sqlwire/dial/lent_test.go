package dial_test

import (
	"net"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/dial"
	"plimsoll/internal/client/sqlwire/sqlwiretest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload/sqldb"
)

// Sessions set all that they depend on, whatever the defaults of an existing server:
// sessions of users, and of loading and auditing.
func TestSessionsOnExistingServers(t *testing.T) {
	for _, engine := range sqlwiretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			e := sqlwiretest.Spoilt(t, engine)
			e.Lent = true
			c := open(t, e)
			pool, err := sqldb.Open(t.Context(), e, 1)
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			for expression, want := range sqlwiretest.Settled(engine) {
				if got := one(t, c, "select "+expression); got != want {
					t.Errorf("users: %s is %q, want %q", expression, got, want)
				}
				var got string
				if err := pool.QueryRowContext(t.Context(), "select "+expression).Scan(&got); err != nil || got != want {
					t.Errorf("loading: %s is %q, want %q: %v", expression, got, want, err)
				}
			}
			sqlwiretest.MustDo(t, c, "create table committed (id int)", "insert into committed values (1), (2)")
			if got := one(t, open(t, e), "select count(*) from committed"); got != "2" {
				t.Errorf("another session sees %s of 2 rows", got)
			}
		})
	}
}

// one is the only value of an answer, as text.
func one(t *testing.T, c sqlwire.Conn, sql string) string {
	t.Helper()
	r, err := c.Do(new(sqlwire.Batch).Call(prepare(t, c, "select concat(("+sql+"), '')")))
	if err != nil {
		t.Fatal(err)
	}
	return string(r.Text(0, 0, 0))
}

// An encrypted connection is to who the study says, or there is none, and the error
// says what was tried and what to change.
func TestEncryption(t *testing.T) {
	for _, engine := range sqlwiretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			socket := sqlwiretest.Start(t, engine)
			plain, secret := sqlwiretest.TCP(t, socket), sqlwiretest.TLS(t, socket)
			secret.User, secret.Lent, plain.User, plain.Lent = sqlwiretest.Secret, true, sqlwiretest.Secret, true
			encrypted := map[string]string{sqlwire.Postgres: "select ssl::text from pg_stat_ssl where pid = pg_backend_pid()",
				sqlwire.MariaDB: "select variable_value <> '' from information_schema.session_status where variable_name = 'SSL_CIPHER'"}[engine]
			named := func(mode, address, authority string) endpoint.Endpoint {
				e := secret
				e.TLS, e.Certificate = mode, authority
				_, port, _ := net.SplitHostPort(e.Address)
				e.Address = net.JoinHostPort(address, port)
				return e
			}
			stranger := sqlwiretest.Authority(t)
			for name, e := range map[string]endpoint.Endpoint{
				"require, whoever signed":    named(endpoint.TLSRequire, "127.0.0.1", ""),
				"verify-ca, whatever name":   named(endpoint.TLSVerifyCA, "127.0.0.1", secret.Certificate),
				"verify-full, with the name": secret,
			} {
				t.Run(name, func(t *testing.T) {
					if got := one(t, open(t, e), encrypted); got != "true" && got != "1" {
						t.Errorf("encrypted: %q", got)
					}
					pool, err := sqldb.Open(t.Context(), e, 1)
					if err != nil {
						t.Fatal(err)
					}
					pool.Close()
				})
			}
			gone := plain
			gone.Address = "127.0.0.1:1"
			unknown := plain
			unknown.Address = "no-such-host.invalid:5432"
			missing := socket
			missing.Lent, missing.Address = true, filepath.Join(filepath.Dir(socket.Address), "nothing")
			nowhere := secret
			nowhere.Payload = endpoint.With(endpoint.SQL{Database: "no such database"})
			for name, c := range map[string]struct {
				e    endpoint.Endpoint
				says []string
			}{
				"without TLS":                {plain, []string{"without TLS", "tls: require"}},
				"verify-ca, by a stranger":   {named(endpoint.TLSVerifyCA, "localhost", stranger), []string{"tls: verify-ca", "ca_file"}},
				"verify-full, by a stranger": {named(endpoint.TLSVerifyFull, "localhost", stranger), []string{"tls: verify-full", "ca_file"}},
				"verify-full, another name":  {named(endpoint.TLSVerifyFull, "127.0.0.1", secret.Certificate), []string{"tls: verify-full", "127.0.0.1", "does not look at the name"}},
				"the machine's authorities":  {named(endpoint.TLSVerifyFull, "localhost", ""), []string{"ca_file"}},
				"nobody listens":             {gone, []string{"127.0.0.1:1", "refused", "listens there"}},
				"no such host":               {unknown, []string{"no-such-host.invalid", "correct the host"}},
				"no such socket":             {missing, []string{"no such file", "listens there"}},
				"no such database":           {nowhere, []string{`database "no such database"`, "make the database"}},
			} {
				t.Run(name, func(t *testing.T) {
					conn, err := dial.Open(t.Context(), c.e)
					if err == nil {
						conn.Close()
						t.Fatal("connected")
					}
					for _, want := range append(c.says, c.e.Address, `user "`+c.e.User+`"`) {
						if !strings.Contains(err.Error(), want) {
							t.Errorf("it does not say %q: %v", want, err)
						}
					}
					t.Log(err)
				})
			}
		})
	}
}

// Users show a server that asks for it a certificate of their own.
func TestClientCertificates(t *testing.T) {
	for _, engine := range sqlwiretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			known := sqlwiretest.Own(t, sqlwiretest.Start(t, engine))
			known.Lent = true
			if got := one(t, open(t, known), "select 7"); got != "7" {
				t.Errorf("users: %q", got)
			}
			pool, err := sqldb.Open(t.Context(), known, 1)
			if err != nil {
				t.Fatal(err)
			}
			pool.Close()
			nothing, strange, mixed := known, known, known
			nothing.ClientCertificate, nothing.ClientKey = "", ""
			strange.ClientCertificate, strange.ClientKey = sqlwiretest.Client(t)
			_, mixed.ClientKey = sqlwiretest.Client(t)
			for name, c := range map[string]struct {
				e    endpoint.Endpoint
				says string
			}{
				"none":          {nothing, "set client_cert and client_key"},
				"by a stranger": {strange, "may not trust client_cert"},
				"another's key": {mixed, "client_cert and client_key cannot be used"},
			} {
				conn, err := dial.Open(t.Context(), c.e)
				if err == nil {
					conn.Close()
					t.Errorf("%s: connected", name)
				} else if !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s: it does not say %q: %v", name, c.says, err)
				}
			}
		})
	}
}

// PostgreSQL's sockets may be named by their directory.
func TestSocketDirectory(t *testing.T) {
	e := sqlwiretest.Start(t, sqlwire.Postgres)
	_, port, _ := net.SplitHostPort(sqlwiretest.TCP(t, e).Address)
	e.Address = filepath.Dir(e.Address) + ":" + port
	if got := one(t, open(t, e), "select 7"); got != "7" {
		t.Errorf("got %q", got)
	}
}

// Users log in by what MariaDB's own clients know: ed25519, and who they are to the system.
func TestAuthentication(t *testing.T) {
	socket := sqlwiretest.Start(t, sqlwire.MariaDB)
	admin := open(t, socket)
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	sqlwiretest.MustDo(t, admin, "create or replace user "+me.Username+"@localhost identified via unix_socket", "grant all on plimsoll.* to "+me.Username+"@localhost")
	known := socket
	known.User, known.Password = me.Username, ""
	if got := one(t, open(t, known), "select 7"); got != "7" {
		t.Errorf("unix_socket: %q", got)
	}
	t.Run("ed25519", func(t *testing.T) {
		install, err := admin.Prepare("install soname 'auth_ed25519'")
		if err == nil {
			_, err = admin.Do(new(sqlwire.Batch).Call(install))
		}
		if err != nil {
			t.Skipf("not tried: its plugin is not installed (apt-get install mariadb-server): %v", err)
		}
		sqlwiretest.MustDo(t, admin, "create user edward identified via ed25519 using password('secret')", "grant all on plimsoll.* to edward")
		for _, e := range []endpoint.Endpoint{sqlwiretest.TCP(t, socket), sqlwiretest.TLS(t, socket)} {
			e.User, e.Lent = "edward", true
			if got := one(t, open(t, e), "select 7"); got != "7" {
				t.Errorf("ed25519: %q", got)
			}
		}
	})
}
