package postgres

import (
	"context"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
)

// DurabilitySettings are the settings of the manual's section Write Ahead Log that
// durability depends on, and data_sync_retry.
func (Engine) DurabilitySettings() []app.DurabilitySetting {
	return []app.DurabilitySetting{
		{Name: "fsync", Safe: []string{"on"}, Risky: "off", Loses: "a crash of the machine may damage the database"},
		{Name: "synchronous_commit", Safe: []string{"on", "local", "remote_write", "remote_apply"}, Risky: "off", Loses: "a crash loses the last commits that were acknowledged"},
		{Name: "full_page_writes", Safe: []string{"on"}, Risky: "off", Loses: "a page that was half written when the machine crashed stays damaged"},
		{Name: "data_sync_retry", Safe: []string{"off"}, Risky: "on", Loses: "a flush that failed may later pass for done"},
	}
}

// ReadDurability implements app.DurabilityReader.
func (e Engine) ReadDurability(ctx context.Context, at endpoint.Endpoint) (map[string]string, error) {
	conn, err := connect(ctx, at)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	settings := map[string]string{}
	for _, name := range app.DurabilityNames(e) {
		value, err := ask(ctx, conn, "select current_setting($1, true)", name)
		if err != nil {
			return nil, err
		}
		if len(value) > 0 {
			settings[name] = value[0]
		}
	}
	return settings, nil
}
