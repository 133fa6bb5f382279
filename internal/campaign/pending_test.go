package campaign

import (
	"testing"

	"plimsoll/internal/host/journal"
)

// The notes in a run directory may come from anybody, so no password is sent to a server that
// only they name. A server registered on this machine gets it.
func TestOnlyRegisteredDatabasesAreGivenBack(t *testing.T) {
	detail := map[string]string{"engine": "an engine", "server": "db.example:5432", "database": "shop", "user": "me"}
	noted := journal.State{Notes: []journal.Entry{{Act: "note", Event: databaseClaimed, Detail: detail}}}
	pending := PendingDatabases(noted)
	if len(pending) != 1 || Claimed(noted, pending[0]) {
		t.Errorf("pending %v, claimed by notes alone", pending)
	}
	noted.Objects = []journal.Object{databaseObject(detail)}
	if !Claimed(noted, pending[0]) {
		t.Error("what is registered is not known")
	}
	other := map[string]string{"engine": "an engine", "server": "else.example:5432", "database": "shop", "user": "me"}
	if Claimed(noted, other) {
		t.Error("a database on another server is taken for the registered one")
	}
}
