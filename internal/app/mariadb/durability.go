package mariadb

import (
	"context"
	"database/sql"
	"errors"

	"plimsoll/internal/app"
	"plimsoll/internal/client/sqlconn"
	"plimsoll/internal/describe/endpoint"
)

// DurabilitySettings are the settings of InnoDB and of the binary log that durability
// depends on (MariaDB's knowledge base, InnoDB System Variables and Replication and Binary
// Log System Variables).
func (Engine) DurabilitySettings() []app.DurabilitySetting {
	const lastSecond = "a crash loses about a second of commits that were acknowledged"
	return []app.DurabilitySetting{
		{Name: "innodb_flush_log_at_trx_commit", Safe: []string{"on", "3"}, Risky: "2", Loses: lastSecond},
		{Name: "innodb_doublewrite", Safe: []string{"on", "detect_and_recover"}, Risky: "0", Loses: "a page that was half written when the machine crashed stays damaged"},
		{Name: "innodb_flush_method", Safe: []string{"fsync", "o_dsync", "o_direct"}, Risky: "nosync", Loses: "data files are not flushed"},
		{Name: "sync_binlog", Safe: []string{"on"}, Risky: "0", Loses: "a crash of the machine loses the end of the binary log"},
		{Name: "debug_no_sync", Safe: []string{"off"}, Risky: "1", Loses: "nothing is flushed"},
	}
}

// ReadDurability implements app.DurabilityReader. Without a binary log nobody has to
// flush it.
func (e Engine) ReadDurability(ctx context.Context, at endpoint.Endpoint) (map[string]string, error) {
	db, err := open(at)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	settings := map[string]string{}
	for _, name := range append(app.DurabilityNames(e), "log_bin") {
		var called, value string
		err := db.QueryRowContext(ctx, "show variables like '"+name+"'").Scan(&called, &value)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, sqlconn.Failed(at, err)
		}
		if value != "" {
			settings[name] = value
		}
	}
	if settings["log_bin"] != "ON" {
		delete(settings, "sync_binlog")
	}
	delete(settings, "log_bin")
	return settings, nil
}
