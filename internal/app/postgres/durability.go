package postgres

import "plimsoll/internal/app"

// DurabilitySettings are those of the manual's section Write Ahead Log, and
// data_sync_retry, on which durability depends.
func (Engine) DurabilitySettings() []app.DurabilitySetting {
	return []app.DurabilitySetting{
		{Name: "fsync", Safe: []string{"on"}, Risky: "off", Loses: "a crash of the machine may damage the database"},
		{Name: "synchronous_commit", Safe: []string{"on", "local", "remote_write", "remote_apply"}, Risky: "off", Loses: "a crash loses the last commits that were acknowledged"},
		{Name: "full_page_writes", Safe: []string{"on"}, Risky: "off", Loses: "a page that was half written when the machine crashed stays damaged"},
		{Name: "data_sync_retry", Safe: []string{"off"}, Risky: "on", Loses: "a flush that failed may later pass for done"},
	}
}
