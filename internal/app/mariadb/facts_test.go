package mariadb

import (
	"strings"
	"testing"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/sqlwiretest"
	"plimsoll/internal/describe/endpoint"
)

// Conditions that no server on this machine can be in are judged by the reports of such a
// server.
func TestHindrances(t *testing.T) {
	node := func(change ...string) serverFacts {
		k := serverFacts{variables: map[string]string{"wsrep_on": "ON"}, status: map[string]string{
			"wsrep_cluster_state_uuid": "u", "wsrep_cluster_status": "Primary", "wsrep_local_state_comment": "Synced", "wsrep_ready": "ON", "wsrep_flow_control_active": "false",
		}}
		for i := 0; i < len(change); i += 2 {
			k.status[change[i]] = change[i+1]
		}
		return k
	}
	semi := func(clients, count string) serverFacts {
		return serverFacts{variables: map[string]string{"rpl_semi_sync_source_enabled": "ON", "rpl_semi_sync_source_wait_for_replica_count": count, "rpl_semi_sync_source_timeout": "10000"},
			status: map[string]string{"rpl_semi_sync_source_status": "ON", "rpl_semi_sync_source_clients": clients}}
	}
	for name, c := range map[string]struct {
		k    serverFacts
		says string // empty for nothing
	}{
		"no cluster":                    {serverFacts{variables: map[string]string{"wsrep_on": "OFF"}, status: map[string]string{"wsrep_cluster_status": "Disconnected"}}, ""},
		"a node at work":                {node(), ""},
		"a node without its cluster":    {node("wsrep_cluster_status", "non-Primary"), "wsrep_cluster_status"},
		"a node that gives its state":   {node("wsrep_local_state_comment", "Donor/Desynced"), "Donor/Desynced"},
		"a cluster that holds back":     {node("wsrep_flow_control_active", "true"), "wsrep_flow_control_active"},
		"no replica":                    {semi("0", "1"), "for up to 10s"},
		"one replica of two":            {semi("1", "2"), "wants 2, and 1 are connected"},
		"the replica is there":          {semi("1", "1"), ""},
		"nobody writes":                 {serverFacts{variables: map[string]string{"super_read_only": "ON"}}, "super_read_only"},
		"replication that has given up": {serverFacts{variables: map[string]string{"rpl_semi_sync_master_enabled": "ON"}, status: map[string]string{"rpl_semi_sync_master_status": "OFF"}}, ""},
	} {
		text := strings.Join(c.k.hindrances(), "; ")
		if c.says == "" && text != "" || !strings.Contains(text, c.says) {
			t.Errorf("%s: it says %q, want %q", name, text, c.says)
		}
	}
	if a, b := node(), node(); a.database() != b.database() || a.database() == (serverFacts{server: "s"}).database() {
		t.Error("nodes of a cluster have one database")
	}
}

// A database is known again under another address of its server, and no other is taken
// for it.
func TestTheSameDatabaseIsKnown(t *testing.T) {
	socket := sqlwiretest.Start(t, sqlwire.MariaDB, "--local-infile=1", "--innodb-force-primary-key=1")
	sqlwiretest.MustDo(t, openAdmin(t, socket), "create database other")
	tcp := sqlwiretest.TCP(t, socket)
	other := tcp
	other.Payload = endpoint.With(endpoint.SQL{Database: "other"})
	elsewhere := sqlwiretest.Start(t, sqlwire.MariaDB, "--local-infile=1")
	ask := func(e endpoint.Endpoint) (server, database, keys string) {
		t.Helper()
		s, err := Engine{}.Ask(t.Context(), e)
		if err != nil || s.Server == "" || s.Database == "" {
			t.Fatalf("%+v, %v", s, err)
		}
		return s.Server, s.Database, s.WantsKeys
	}
	server, database, keys := ask(socket)
	if s, d, k := ask(tcp); s != server || d != database || k != keys || k != "innodb_force_primary_key" {
		t.Errorf("%s, %s, %s by another address", s, d, k)
	}
	if s, d, _ := ask(other); s != server || d == database {
		t.Errorf("another database: %s, %s", s, d)
	}
	if s, d, k := ask(elsewhere); s == server || d == database || k != "" {
		t.Errorf("another server: %s, %s, %s", s, d, k)
	}
	// Its mark is made where tables must have a primary key.
	if err := (Engine{}).Claim(t.Context(), socket, "r", false); err != nil {
		t.Fatal(err)
	}
	if err := (Engine{}).Note(t.Context(), socket); err != nil {
		t.Fatal(err)
	}
	if err := (Engine{}).Release(t.Context(), socket, "r"); err != nil {
		t.Fatal(err)
	}
}
