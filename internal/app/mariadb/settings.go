package mariadb

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll/internal/app"
)

const (
	mib = 1 << 20
	gib = 1 << 30
)

// unlimited is the memory that a server without a limit is configured for.
const unlimited = 512 * mib

func memory(c app.Config) int64 { return cmp.Or(c.Limits.Memory, unlimited) }

// own is what the server takes besides the buffer pool: 50 MiB in version
// 10.11, 135 MiB in the fetched 11.4, and up to 2 MiB for a connection with
// its statements (measured).
func own(c app.Config) int64 { return 128*mib + int64(connections(c))*2*mib }

// bufferPool is half the memory or what the server itself leaves of it, if
// that is less.
func bufferPool(c app.Config) int64 {
	m := memory(c)
	return wholeMiB(clamp(min(m/2, m-own(c)), 16*mib, 512*gib))
}

// redoLog is a sixteenth of the memory, an eighth of an ordinary buffer pool.
// InnoDB writes it out whole when it makes one, on every volume. It depends on
// nothing else, so that a clone's is not made anew.
func redoLog(memory int64) int64 { return wholeMiB(clamp(memory/16, 16*mib, gib)) }

func wholeMiB(n int64) int64 { return n / mib * mib }

// connections adds some for loading, auditing and looking in.
func connections(c app.Config) int { return c.Users + 10 }

func clamp(n, low, high int64) int64 { return max(low, min(n, high)) }

// setting is one line of my.cnf; without a value it is a bare option.
type setting struct{ name, value string }

// configuration is my.cnf. The settings of the study come last, and the last
// one counts.
func configuration(in app.Installation, c app.Config) string {
	var b strings.Builder
	b.WriteString("[mariadbd]\n")
	for _, group := range [][]setting{places(in), sizes(c), durability(), conduct()} {
		for _, s := range group {
			b.WriteString(s.line())
		}
	}
	b.WriteString("# from the study\n")
	for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
		b.WriteString(setting{name, c.Settings[name]}.line())
	}
	return b.String()
}

func (s setting) line() string {
	if s.value == "" {
		return s.name + "\n"
	}
	return s.name + ` = "` + escapeSetting(s.value) + "\"\n"
}

// escapeSetting follows the rules of option files within double quotation marks, where
// a backslash escapes, and # begins no comment.
func escapeSetting(value string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(value)
}

// places: temporary tables go to the volume, as they do on a server whose only
// disk is its volume.
func places(in app.Installation) []setting {
	all := []setting{
		{"datadir", dataDirectory},
		{"pid_file", "${RUNTIME}/mariadb.pid"},
		{"tmpdir", "${VOLUME}"},
	}
	if base := in.Paths["basedir"]; base != "" {
		all = append(all, setting{"basedir", base}, setting{"lc_messages_dir", base + "/share"})
	}
	return all
}

func sizes(c app.Config) []setting {
	return []setting{
		{"max_connections", fmt.Sprint(connections(c))},
		// A user of DVD Store keeps some forty statements prepared.
		{"max_prepared_stmt_count", fmt.Sprint(64 * max(connections(c), 256))},
		{"innodb_buffer_pool_size", fmt.Sprint(bufferPool(c))},
		{"innodb_log_file_size", fmt.Sprint(redoLog(memory(c)))},
		{"innodb_undo_tablespaces", "0"}, // in the system tablespace: 30 MB less on every volume
		{"key_buffer_size", "8M"},
		{"aria_pagecache_buffer_size", "8M"},
		{"tmp_table_size", "16M"},
		{"max_heap_table_size", "16M"},
		{"table_open_cache", "400"},
		{"max_allowed_packet", "64M"},
	}
}

// durability states the defaults that a study of storage rests upon. Two
// threads each way keep an instance to 1,024 of the kernel's 65,536
// asynchronous requests (fs.aio-max-nr), so that 64 instances have theirs.
func durability() []setting {
	return []setting{
		{"innodb_flush_log_at_trx_commit", "1"},
		{"innodb_flush_method", "O_DIRECT"},
		{"innodb_doublewrite", "1"},
		{"innodb_use_native_aio", "1"},
		{"innodb_read_io_threads", "2"},
		{"innodb_write_io_threads", "2"},
		{"skip_log_bin", ""},
	}
}

// conduct: the full-text settings are what DVD Store's title and actor search
// needs, whose words have three letters or are stop words. Without skip_ssl,
// versions from 11.4 on make a key at every start, which takes seconds.
func conduct() []setting {
	return []setting{
		{"default_storage_engine", "InnoDB"},
		{"character_set_server", "utf8mb4"},
		{"collation_server", "utf8mb4_general_ci"},
		{"innodb_ft_min_token_size", "3"},
		{"innodb_ft_enable_stopword", "0"},
		{"performance_schema", "0"},
		{"skip_name_resolve", ""},
		{"skip_ssl", ""},
		{"local_infile", "1"},
		{"default_time_zone", "+00:00"},
	}
}
