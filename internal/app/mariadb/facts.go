package mariadb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// serverFacts holds a server's variables and status by their names in lower case. Values for
// parts it lacks, such as a cluster, are missing.
type serverFacts struct {
	variables, status map[string]string
	server, schema    string
}

// identity tells servers and their databases apart.
const identity = "select concat_ws('|', @@global.hostname, @@global.port, @@global.datadir, @@global.server_id), " +
	"if(@@global.lower_case_table_names = 0, database(), lower(database()))"

func factsOf(ctx context.Context, db *sql.DB) (k serverFacts, err error) {
	if k.variables, err = pairs(ctx, db, "show variables where variable_name rlike '^(rpl_semi_sync_|wsrep_|pxc_strict_mode|super_read_only|innodb_force_primary_key|sql_require_primary_key)'"); err != nil {
		return k, err
	}
	if k.status, err = pairs(ctx, db, "show global status where variable_name rlike '^(rpl_semi_sync_|wsrep_)'"); err != nil {
		return k, err
	}
	if err = db.QueryRowContext(ctx, identity).Scan(&k.server, &k.schema); err != nil {
		return k, err
	}
	began, err := startOf(ctx, db)
	k.server += "|" + strconv.FormatInt(began, 10)
	return k, err
}

// startOf is when the server was started, in seconds of its own clock. Copies of a machine
// have the same names and numbers, but were not started in the same second. The clock and
// how long the server is up are answers to two queries, which count if they are of one
// second.
func startOf(ctx context.Context, db *sql.DB) (int64, error) {
	for {
		var before, after, up int64
		var name string
		err := db.QueryRowContext(ctx, "select unix_timestamp()").Scan(&before)
		if err == nil {
			err = db.QueryRowContext(ctx, "show global status like 'uptime'").Scan(&name, &up)
		}
		if err == nil {
			err = db.QueryRowContext(ctx, "select unix_timestamp()").Scan(&after)
		}
		if err != nil || before == after {
			return before - up, err
		}
	}
}

// pairs reads names and values.
func pairs(ctx context.Context, db *sql.DB, query string) (map[string]string, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[string]string{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, err
		}
		all[strings.ToLower(name)] = value
	}
	return all, rows.Err()
}

// database tells databases apart: every node of a cluster has the same.
func (k serverFacts) database() string {
	if k.clustered() {
		return k.status["wsrep_cluster_state_uuid"] + "/" + k.schema
	}
	return k.server + "/" + k.schema
}

// clustered reports whether the server is a node of a Galera cluster.
func (k serverFacts) clustered() bool {
	return k.variables["wsrep_on"] == "ON" && k.status["wsrep_cluster_state_uuid"] != ""
}

// hindrances are the states in which no commit ends, or none is taken.
func (k serverFacts) hindrances() (all []string) {
	if k.variables["super_read_only"] == "ON" {
		all = append(all, "the server is read-only (super_read_only)")
	}
	all = append(all, k.waitsForReplicas()...)
	if !k.clustered() {
		return all
	}
	for _, c := range []struct{ name, wants string }{{"wsrep_cluster_status", "Primary"}, {"wsrep_local_state_comment", "Synced"}, {"wsrep_ready", "ON"}} {
		if is := k.status[c.name]; is != c.wants {
			return append(all, fmt.Sprintf("the node does not work for its cluster: %s is %q and must be %q; wait for it, or name another node", c.name, is, c.wants))
		}
	}
	if k.status["wsrep_flow_control_active"] == "true" {
		all = append(all, "the cluster holds commits back until a slow node has caught up (wsrep_flow_control_active): wait for that node, or take it out")
	}
	return all
}

// waitsForReplicas reports commits that wait for replicas which are not connected, until a
// time-out ends semi-synchronous replication. MariaDB and MySQL up to 8.0 use the words
// master and slave, MySQL source and replica.
func (k serverFacts) waitsForReplicas() []string {
	for _, w := range []struct{ from, to string }{{"master", "slave"}, {"source", "replica"}} {
		name := "rpl_semi_sync_" + w.from + "_"
		if k.variables[name+"enabled"] != "ON" || k.status[name+"status"] != "ON" || k.variables[name+"wait_no_"+w.to] == "OFF" {
			continue
		}
		needed := max(1, number(k.variables[name+"wait_for_"+w.to+"_count"]))
		if connected := number(k.status[name+"clients"]); connected < needed {
			timeout := time.Duration(number(k.variables[name+"timeout"])) * time.Millisecond
			return []string{fmt.Sprintf("a commit waits for replicas that are away, for up to %s: %senabled is on, which wants %d, and %d are connected; bring them back, or set global %senabled = off",
				timeout, name, needed, connected, name)}
		}
	}
	return nil
}

// number parses a number; 0 for anything else.
func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// wantsKeys is the setting that refuses tables without a primary key, or rows in them.
func (k serverFacts) wantsKeys() string {
	for _, name := range []string{"innodb_force_primary_key", "sql_require_primary_key"} {
		if k.variables[name] == "ON" {
			return name
		}
	}
	if slices.Contains([]string{"ENFORCING", "MASTER"}, k.variables["pxc_strict_mode"]) {
		return "pxc_strict_mode = " + k.variables["pxc_strict_mode"]
	}
	if k.clustered() && strings.Contains(k.variables["wsrep_mode"], "REQUIRED_PRIMARY_KEY") {
		return "wsrep_mode = " + k.variables["wsrep_mode"]
	}
	return ""
}
