package sqlserver

import (
	"context"

	"plimsoll/internal/app"
	"plimsoll/internal/client/sqlconn"
	"plimsoll/internal/describe/endpoint"
)

const delayed = "delayed_durability"

// DurabilitySettings is the one of a database on which durability depends ("Control
// transaction durability"). Where it is allowed, a transaction has to ask for it, and ours
// do not.
func (Engine) DurabilitySettings() []app.DurabilitySetting {
	return []app.DurabilitySetting{{Name: delayed, Safe: []string{"disabled", "allowed"}, Risky: "forced", Loses: "a crash loses the last commits that were acknowledged"}}
}

// ReadDurability implements app.DurabilityReader.
func (Engine) ReadDurability(ctx context.Context, at endpoint.Endpoint) (map[string]string, error) {
	db, err := open(at)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	var value string
	if err := db.QueryRowContext(ctx, "select lower(delayed_durability_desc) from sys.databases where database_id = db_id()").Scan(&value); err != nil {
		return nil, sqlconn.Failed(at, err)
	}
	return map[string]string{delayed: value}, nil
}
