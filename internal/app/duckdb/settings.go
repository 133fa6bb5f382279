package duckdb

import (
	"context"
	"math"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
)

// knownSettings are the settings that a study may make, by DuckDB's names, with what their values
// must be: a number of 1 or more, true or false, or a size, which only DuckDB reads.
var knownSettings = map[string]app.ValueCheck{
	"threads":                    app.Whole(1, math.MaxInt),
	"external_threads":           app.Whole(1, math.MaxInt),
	"memory_limit":               app.AnyValue,
	"max_temp_directory_size":    app.AnyValue,
	"temp_file_encryption":       app.Choice("true", "false"),
	"preserve_insertion_order":   app.Choice("true", "false"),
	"parquet_metadata_cache":     app.Choice("true", "false"),
	"enable_external_file_cache": app.Choice("true", "false"),
	"allocator_flush_threshold":  app.AnyValue,
}

// CheckConfig implements app.ConfigChecker by the list above.
func (e Engine) CheckConfig(_ context.Context, in app.Installation, c app.Config) ([]describe.Problem, error) {
	return app.JudgeListed(in, c, "DuckDB", leastMemory, e.Outward(), knownSettings)
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
