package duckdb

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"plimsoll/internal/app"
)

// knownSettings are the settings that a study may make, by DuckDB's names, with what their values
// must be: a number of 1 or more, true or false, or a size, which only DuckDB reads.
var knownSettings = map[string]string{
	"threads":                    "number",
	"external_threads":           "number",
	"memory_limit":               "size",
	"max_temp_directory_size":    "size",
	"temp_file_encryption":       "switch",
	"preserve_insertion_order":   "switch",
	"parquet_metadata_cache":     "switch",
	"enable_external_file_cache": "switch",
	"allocator_flush_threshold":  "size",
}

// CheckConfig implements app.ConfigChecker by the list above.
func (e Engine) CheckConfig(_ context.Context, in app.Installation, c app.Config) ([]app.ConfigProblem, error) {
	return app.JudgeConfig(c, "DuckDB", leastMemory, e.Outward(), func(name, value string) (*app.ConfigProblem, error) {
		kind, ok := knownSettings[name]
		if !ok {
			return app.UnknownSetting("DuckDB", in.Version, name, slices.Sorted(maps.Keys(knownSettings))), nil
		}
		n, err := strconv.Atoi(value)
		switch {
		case kind == "switch" && value != "true" && value != "false":
			return &app.ConfigProblem{Reason: fmt.Sprintf("%q is neither true nor false", value)}, nil
		case kind == "number" && (err != nil || n < 1):
			return &app.ConfigProblem{Reason: fmt.Sprintf("%q is not a number of 1 or more", value)}, nil
		}
		return nil, nil
	})
}

// Outward implements app.ConfigChecker: it refuses settings that move our files, or that
// reach other files and services.
func (Engine) Outward() app.OutwardSettings {
	return app.OutwardSettings{
		Owned: []string{"temp_directory", "home_directory", "extension_directory", "allowed_directories", "allowed_paths", "enable_external_access", "lock_configuration"},
		Powers: []string{
			"allow_*", "autoinstall_*", "autoload_*", "custom_*", "http_*", "s3_*", "secret_*", "default_secret_storage",
			"enable_logging", "logging_*", "log_query_path", "profiling_*", "profile_output", "enable_profiling", "file_search_path",
		},
	}
}
