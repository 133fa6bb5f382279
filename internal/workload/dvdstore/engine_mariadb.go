package dvdstore

import "fmt"

type mariadb struct{ version int }

func (m mariadb) tables() []table { return mariadbTables(m.version) }

// allocated: the file of a table that has outgrown its first extent is kept
// about 8 MiB larger than its rows, as measured from 1MB to 300MB.
func (mariadb) allocated(bytes int64) int64 {
	const large, ahead = 512 << 10, 8 << 20
	if bytes > large {
		return bytes + ahead
	}
	return bytes
}

// The original's drivers qualify tables as DS2.CUSTOMERS, and names of
// databases are directories, which have a case.
func (m mariadb) database() string { return fmt.Sprintf("DS%d", m.version) }

// session turns off what costs time and cannot fail with rows that we made;
// with both checks off, InnoDB builds an empty table without undo log.
func (mariadb) session() []string {
	return []string{`set session unique_checks = 0, foreign_key_checks = 0`,
		`set session innodb_ft_enable_stopword = 0`}
}

func (mariadb) digest(text string) string {
	return "cast(conv(left(md5(" + text + "), 8), 16, 10) as signed)"
}

func (mariadb) day(date string) string { return extractedDay(date) }

func (mariadb) bigint() string { return "signed" }

func (mariadb) tableNamed() string {
	return "select count(*) from information_schema.tables where table_schema = database() and lower(table_name) = ?"
}
