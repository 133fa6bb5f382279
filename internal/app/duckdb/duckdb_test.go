package duckdb_test

import (
	"testing"

	"plimsoll/internal/app/duckdb"
	"plimsoll/internal/conformance/apptest"
	"plimsoll/internal/conformance/duckdbtest"
	"plimsoll/internal/platform/local/localtest"
)

func TestEngine(t *testing.T) {
	apptest.Run(t, apptest.Suite{
		Engine: duckdb.Engine{}, Fetch: true, Platform: localtest.Platform, Volume: localtest.Volume,
		Least: 224 << 20, Alone: true, Open: duckdbtest.Open,
	})
}

func TestSettingsAreJudged(t *testing.T) {
	apptest.JudgesSettings(t, duckdb.Engine{}, map[string]apptest.Setting{
		"misspelt":      {Name: "thread", Value: "2", Reason: "has no setting thread", Hint: "did you mean \"threads\"?"},
		"no number":     {Name: "threads", Value: "all", Reason: `"all" is not a number`},
		"no switch":     {Name: "parquet_metadata_cache", Value: "on", Reason: `"on" is none of true, false`},
		"ours":          {Name: "temp_directory", Value: "/tmp", Reason: "Plimsoll sets temp_directory", Hint: "remove it"},
		"another store": {Name: "s3_endpoint", Value: "x", Reason: "which a study may not", Hint: "remove it"},
		"right":         {Name: "threads", Value: "4"},
		"a switch":      {Name: "preserve_insertion_order", Value: "false"},
	})
}
