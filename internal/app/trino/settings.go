package trino

import (
	"context"
	"maps"
	"slices"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
)

// knownSettings are the settings that a study may make, by their names in Trino's own files.
// Settings in ofLake go into the file of the catalogue, the others into the server's.
var knownSettings = map[string]bool{
	"join-distribution-type":               false,
	"exchange.compression-codec":           false,
	"exchange.max-buffer-size":             false,
	"max-spill-per-node":                   false,
	"memory.heap-headroom-per-node":        false,
	"node-scheduler.include-coordinator":   false,
	"node-scheduler.max-splits-per-node":   false,
	"optimizer.join-reordering-strategy":   false,
	"query-max-spill-per-node":             false,
	"query.max-execution-time":             false,
	"query.max-memory":                     false,
	"query.max-memory-per-node":            false,
	"query.max-run-time":                   false,
	"query.max-total-memory":               false,
	"query.remote-task.max-error-duration": false,
	"scale-writers":                        false,
	"spill-compression-codec":              false,
	"spill-enabled":                        false,
	"task.concurrency":                     false,
	"task.max-worker-threads":              false,
	"task.max-writer-count":                false,
	"task.min-writer-count":                false,
	"task.scale-writers.enabled":           false,
	"hive.compression-codec":               true,
	"hive.max-initial-split-size":          true,
	"hive.max-outstanding-splits":          true,
	"hive.max-split-size":                  true,
	"hive.storage-format":                  true,
	"hive.target-max-file-size":            true,
	"iceberg.compression-codec":            true,
	"iceberg.max-partitions-per-writer":    true,
	"iceberg.target-max-file-size":         true,
	"parquet.max-buffer-size":              true,
	"parquet.max-read-block-size":          true,
	"parquet.small-file-threshold":         true,
	"parquet.writer.block-size":            true,
	"s3.max-connections":                   true,
	"s3.streaming.part-size":               true,
}

// ofCatalog are the settings of the catalogue, and ofServer the others.
func ofCatalog(all map[string]string) map[string]string {
	return only(all, func(name string) bool { return knownSettings[name] })
}

func ofServer(all map[string]string) map[string]string {
	return only(all, func(name string) bool { return !knownSettings[name] })
}

func only(all map[string]string, wanted func(string) bool) map[string]string {
	some := maps.Clone(all)
	maps.DeleteFunc(some, func(name, _ string) bool { return !wanted(name) })
	return some
}

// CheckConfig implements app.ConfigChecker by the list above. The server itself judges
// values when it starts.
func (e Engine) CheckConfig(_ context.Context, in app.Installation, c app.Config) ([]describe.Problem, error) {
	return app.JudgeConfig(c, "Trino", leastMemory, e.Outward(), func(name, value string) (*describe.Problem, error) {
		if _, ok := knownSettings[name]; !ok {
			return app.UnknownSetting("Trino", in.Version, name, slices.Sorted(maps.Keys(knownSettings))), nil
		}
		if other := otherConnector(c); strings.HasPrefix(name, other+".") {
			return &describe.Problem{Text: name + " is a setting of the connector " + other + ", and the tables are read by another", Hint: "remove it"}, nil
		}
		if strings.TrimSpace(value) == "" || strings.Contains(value, "${ENV:") {
			return &describe.Problem{Text: "the value is empty, or taken from somewhere else", Hint: "write the value itself"}, nil
		}
		return nil, nil
	})
}

// otherConnector is the one that does not read a server's tables.
func otherConnector(c app.Config) string {
	if _, ok := metastoreOf(c); ok {
		return "hive"
	}
	return "iceberg"
}

// Outward implements app.ConfigChecker: it refuses settings of addresses, access and
// storage, which are ours.
func (Engine) Outward() app.OutwardSettings {
	return app.OutwardSettings{
		Owned: []string{"coordinator", "discovery.*", "node.*", "http-server.*", "catalog.*", "spiller-spill-path", "connector.name", "hive.metastore*", "iceberg.catalog*", "iceberg.jdbc-catalog*",
			"s3.endpoint", "s3.region", "s3.path-style-access", "s3.aws-*", "s3.iam-*", "fs.*", "web-ui.*", "password-authenticator.*", "internal-communication.*"},
		Powers: []string{"plugin.*", "event-listener.*", "access-control.*", "exchange-manager.*", "secrets.*", "jmx.*", "tracing.*", "otel.*", "log.*", "certificate-authenticator.*", "header-authenticator.*", "openmetrics.*"},
	}
}
