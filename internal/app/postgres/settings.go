package postgres

import (
	"fmt"
	"strings"

	"plimsoll/internal/app"
)

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

// sharedBuffers is a quarter of the memory, as the PostgreSQL manual advises
// (section Resource Consumption), up to 8 GiB.
func sharedBuffers(memory int64) int64 { return app.Clamp(memory/4, 16*mib, 8*gib) }

// configuration is postgresql.conf. The settings of the study come last, and
// the last one counts.
func configuration(c app.Config) string {
	return app.Configuration(line, c.Settings, places(), sizes(c), durability(), conduct())
}

func line(s app.Setting) string { return s.Name() + " = " + quoteSetting(s.Value()) + "\n" }

func places() []app.Setting {
	return []app.Setting{
		{"data_directory", dataDirectory},
		{"hba_file", accessFile},
		{"ident_file", identityFile},
		{"unix_socket_directories", "${RUNTIME}"},
		{"listen_addresses", "${HOST}"},
		{"port", "${PORT}"},
	}
}

func sizes(c app.Config) []app.Setting {
	m := c.DatabaseMemory()
	return []app.Setting{
		{"max_connections", fmt.Sprint(c.DatabaseConnections())},
		{"shared_buffers", kilobytes(sharedBuffers(m))},
		{"effective_cache_size", kilobytes(m * 3 / 4)}, // the page cache counts towards the limit
		{"work_mem", kilobytes(app.Clamp(m/4/int64(c.DatabaseConnections()), mib, 16*mib))},
		{"maintenance_work_mem", kilobytes(app.Clamp(m/16, 16*mib, 512*mib))},
		{"max_wal_size", kilobytes(app.Clamp(m/2, 128*mib, 4*gib))},
		{"min_wal_size", kilobytes(32 * mib)},
	}
}

// durability states the defaults that a study of storage rests upon.
func durability() []app.Setting {
	return []app.Setting{
		{"fsync", "on"},
		{"synchronous_commit", "on"},
		{"full_page_writes", "on"},
		{"checkpoint_timeout", "5min"},
		{"checkpoint_completion_target", "0.9"},
	}
}

// conduct: short transactions gain nothing from compilation or parallel plans, which would
// only make runs differ. Shared memory is laid out so that the remains of a killed server
// can be found: in its one System V segment, whose maker the kernel names, rather than in
// files or segments made later by its children.
func conduct() []app.Setting {
	return []app.Setting{
		{"jit", "off"},
		{"max_parallel_workers_per_gather", "0"},
		{"autovacuum", "on"},
		{"autovacuum_max_workers", "2"},
		{"huge_pages", "off"},
		{"dynamic_shared_memory_type", "sysv"},
		{"min_dynamic_shared_memory", "4MB"},
		{"logging_collector", "off"},
		{"log_line_prefix", "%m [%p] "},
		{"log_checkpoints", "on"},
		{"log_timezone", "UTC"},
		{"timezone", "UTC"},
	}
}

func kilobytes(bytes int64) string { return fmt.Sprintf("%dkB", bytes/kib) }

// quoteSetting follows the rules of configuration files, in which a backslash
// escapes.
func quoteSetting(value string) string {
	return "'" + escapeSetting(value) + "'"
}

// escapeSetting is what quoteSetting does between the quotation marks.
func escapeSetting(value string) string {
	return strings.NewReplacer(`\`, `\\`, "'", "''", "\n", " ").Replace(value)
}
