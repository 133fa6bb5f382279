package postgres_test

import (
	"testing"

	"plimsoll/internal/app/postgres"
	"plimsoll/internal/conformance/apptest"
	"plimsoll/test/quick"
)

func TestSettingsAreJudgedByTheServer(t *testing.T) {
	quick.Skip(t, quick.Servers)
	apptest.JudgesSettings(t, postgres.Engine{}, map[string]apptest.Setting{
		"misspelt":          {Name: "shared_bufers", Value: "64MB", Reason: "has no setting shared_bufers", Hint: `did you mean "shared_buffers"?`},
		"impossible value":  {Name: "fsync", Value: "maybe", Reason: `parameter "fsync" requires a Boolean value`, Hint: ""},
		"out of range":      {Name: "work_mem", Value: "1kB", Reason: "work_mem", Hint: ""},
		"wrong unit":        {Name: "work_mem", Value: "4banana", Reason: `invalid value for parameter "work_mem"`, Hint: ""},
		"set by Plimsoll":   {Name: "port", Value: "5432", Reason: "Plimsoll sets port", Hint: "remove it"},
		"right":             {Name: "work_mem", Value: "8MB", Reason: "", Hint: ""},
		"of a missing part": {Name: "no_such.setting", Value: "1", Reason: "", Hint: ""}, // an extension may define it
	})
}
