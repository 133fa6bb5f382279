package mariadb

import (
	"fmt"
	"strings"

	"plimsoll/internal/app"
)

const (
	mib = 1 << 20
	gib = 1 << 30
)

// overheadMemory is the server's memory besides the buffer pool: 50 MiB in version
// 10.11, 135 MiB in the fetched 11.4, and up to 2 MiB for a connection with
// its statements (measured).
func overheadMemory(c app.Config) int64 { return 128*mib + int64(c.DatabaseConnections())*2*mib }

// bufferPool is half the memory or the remainder after the server's own needs, whichever is
// less.
func bufferPool(c app.Config) int64 {
	m := c.DatabaseMemory()
	return wholeMiB(app.Clamp(min(m/2, m-overheadMemory(c)), 16*mib, 512*gib))
}

// redoLog is a sixteenth of the memory, an eighth of an ordinary buffer pool.
// InnoDB writes it out whole when it makes one, on every volume. It depends on
// nothing else, so that a clone's is not made anew.
func redoLog(memory int64) int64 { return wholeMiB(app.Clamp(memory/16, 16*mib, gib)) }

func wholeMiB(n int64) int64 { return n / mib * mib }

// configuration is my.cnf. The settings of the study come last, and the last
// one counts.
func configuration(in app.Installation, c app.Config) string {
	return "[mariadbd]\n" + app.Configuration(line, c.Settings, places(in), sizes(c), durability(), conduct())
}

// line is one of my.cnf; without a value it is a bare option.
func line(s app.Setting) string {
	if s.Value() == "" {
		return s.Name() + "\n"
	}
	return s.Name() + ` = "` + escapeSetting(s.Value()) + "\"\n"
}

// escapeSetting follows the rules of option files within double quotation marks, where
// a backslash escapes, and # begins no comment.
func escapeSetting(value string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(value)
}

// places: temporary tables go to the volume, as they do on a server whose only
// disk is its volume. It is named from the data directory, in which servers work: tmpdir is a
// list with colons between, which a path may have itself.
func places(in app.Installation) []app.Setting {
	all := []app.Setting{
		{"datadir", dataDirectory},
		{"pid_file", "${RUNTIME}/mariadb.pid"},
		{"tmpdir", ".."},
	}
	if base := in.Paths["basedir"]; base != "" {
		all = append(all, app.Setting{"basedir", base}, app.Setting{"lc_messages_dir", base + "/share"})
	}
	return all
}

func sizes(c app.Config) []app.Setting {
	return []app.Setting{
		{"max_connections", fmt.Sprint(c.DatabaseConnections())},
		// A user of DVD Store keeps some forty statements prepared.
		{"max_prepared_stmt_count", fmt.Sprint(64 * max(c.DatabaseConnections(), 256))},
		{"innodb_buffer_pool_size", fmt.Sprint(bufferPool(c))},
		{"innodb_log_file_size", fmt.Sprint(redoLog(c.DatabaseMemory()))},
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
func durability() []app.Setting {
	return []app.Setting{
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
func conduct() []app.Setting {
	return []app.Setting{
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
