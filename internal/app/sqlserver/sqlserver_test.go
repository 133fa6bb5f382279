package sqlserver

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/microsoft/go-mssqldb"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
)

func TestNoServerIsStarted(t *testing.T) {
	if _, err := (Engine{}).Find(t.Context(), "", true); err == nil || !strings.Contains(err.Error(), "engine.existing") {
		t.Error(err)
	}
}

func TestDoctorSaysThatItIsUntested(t *testing.T) {
	for _, c := range (Engine{}).Checks(t.Context()) {
		if !strings.Contains(c.Found, "never run against a real server") || !strings.Contains(c.Found, "--untested sqlserver") {
			t.Errorf("%+v", c)
		}
	}
}

func TestWhatKeepsARunFromADatabaseIsSaid(t *testing.T) {
	e := endpoint.Endpoint{User: "me", Payload: endpoint.With(endpoint.SQL{Database: "DS2"})}
	if s := (answers{fullText: 1, tables: 1, schema: 1, catalogs: 1, most: 100, inUse: 20}).standing(e); len(s.Refuses) > 0 || s.Free != 80 || s.Slots != "user connections 100, 20 in use" {
		t.Errorf("%+v", s)
	}
	s := (answers{readOnly: 1}).standing(e)
	for _, want := range []string{"read-only", "full text search", "grant create table", "grant alter", "grant create fulltext catalog"} {
		if !slices.ContainsFunc(s.Refuses, func(why string) bool { return strings.Contains(why, want) }) {
			t.Errorf("it does not say %q: %q", want, s.Refuses)
		}
	}
}

// Foreign keys go first, catalogs last, and names are quoted as a name, and as a text.
func TestObjectsAreDroppedInOrder(t *testing.T) {
	got := drop([]app.Object{{Kind: "fulltext catalog", Name: "[C]"}, {Kind: "table", Name: "[dbo].[O'HARA]"}, {Kind: "table", Name: "[dbo].[A]]B]"}, {Kind: "view", Name: "[dbo].[V]"}})
	if len(got) != 5 || !strings.Contains(got[0], "in (object_id(N'[dbo].[O''HARA]'), object_id(N'[dbo].[A]]B]'))") ||
		!slices.Equal(got[1:], []string{"drop view [dbo].[V]", "drop table [dbo].[O'HARA]", "drop table [dbo].[A]]B]", "drop fulltext catalog [C]"}) {
		t.Errorf("%q", got)
	}
	if got := drop(nil); len(got) > 0 {
		t.Errorf("of nothing: %q", got)
	}
}

func TestADatabaseThatIsGoneIsKnown(t *testing.T) {
	if !gone(fmt.Errorf("open: %w", mssql.Error{Number: 4060})) || gone(mssql.Error{Number: 18456}) || gone(errors.New("4060")) {
		t.Error("gone")
	}
}

func TestForcedDelaysGiveUpDurability(t *testing.T) {
	for value, want := range map[string]int{"disabled": 0, "allowed": 0, "forced": 1} {
		if got := app.GivenUp(Engine{}, map[string]string{delayed: value}); len(got) != want {
			t.Errorf("%s: %q", value, got)
		}
	}
}
