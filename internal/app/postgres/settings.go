package postgres

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll/internal/app"
)

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

// unlimited is the memory that a server without a limit is configured for.
const unlimited = 512 * mib

func memory(c app.Config) int64 { return cmp.Or(c.Limits.Memory, unlimited) }

// sharedBuffers is a quarter of the memory, as the PostgreSQL manual advises
// (section Resource Consumption), up to 8 GiB.
func sharedBuffers(memory int64) int64 { return clamp(memory/4, 16*mib, 8*gib) }

// connections adds some for loading, auditing and looking in.
func connections(c app.Config) int { return c.Users + 10 }

func clamp(n, low, high int64) int64 { return max(low, min(n, high)) }

// setting is one line of postgresql.conf.
type setting struct{ name, value string }

// configuration is postgresql.conf. The settings of the study come last, and
// the last one counts.
func configuration(c app.Config) string {
	var b strings.Builder
	for _, group := range [][]setting{places(), sizes(c), durability(), conduct()} {
		for _, s := range group {
			fmt.Fprintf(&b, "%s = %s\n", s.name, quoteSetting(s.value))
		}
	}
	b.WriteString("# from the study\n")
	for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
		fmt.Fprintf(&b, "%s = %s\n", name, quoteSetting(c.Settings[name]))
	}
	return b.String()
}

func places() []setting {
	return []setting{
		{"data_directory", dataDirectory},
		{"hba_file", accessFile},
		{"ident_file", identityFile},
		{"unix_socket_directories", "${RUNTIME}"},
		{"listen_addresses", "${HOST}"},
		{"port", "${PORT}"},
	}
}

func sizes(c app.Config) []setting {
	m := memory(c)
	return []setting{
		{"max_connections", fmt.Sprint(connections(c))},
		{"shared_buffers", kilobytes(sharedBuffers(m))},
		{"effective_cache_size", kilobytes(m * 3 / 4)}, // the page cache counts towards the limit
		{"work_mem", kilobytes(clamp(m/4/int64(connections(c)), mib, 16*mib))},
		{"maintenance_work_mem", kilobytes(clamp(m/16, 16*mib, 512*mib))},
		{"max_wal_size", kilobytes(clamp(m/2, 128*mib, 4*gib))},
		{"min_wal_size", kilobytes(32 * mib)},
	}
}

// durability states the defaults that a study of storage rests upon.
func durability() []setting {
	return []setting{
		{"fsync", "on"},
		{"synchronous_commit", "on"},
		{"full_page_writes", "on"},
		{"checkpoint_timeout", "5min"},
		{"checkpoint_completion_target", "0.9"},
	}
}

// conduct: short transactions gain nothing from compilation or parallel plans,
// which would only make runs differ. Shared memory is laid out so that what a
// killed server leaves behind can be found: in its one System V segment, whose
// maker the kernel names, rather than in files or segments made later by its
// children.
func conduct() []setting {
	return []setting{
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
