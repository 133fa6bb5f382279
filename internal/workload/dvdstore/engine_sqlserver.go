package dvdstore

import "fmt"

// sqlserver is Microsoft SQL Server, 2017 or later, which was never run against a real
// server by us.
type sqlserver struct{ version int }

func (s sqlserver) tables() []table { return sqlserverTables(s.version) }

func (sqlserver) allocated(bytes int64) int64 { return bytes }

func (s sqlserver) database() string { return fmt.Sprintf("DS%d", s.version) }

func (sqlserver) session() []string { return nil }

// digest: a binary value becomes a number with its first byte the highest.
func (sqlserver) digest(text string) string {
	return "convert(bigint, substring(hashbytes('MD5', " + text + "), 1, 4))"
}

func (sqlserver) day(date string) string {
	return fmt.Sprintf("year(%[1]s) * 10000 + month(%[1]s) * 100 + day(%[1]s)", date)
}

func (sqlserver) bigint() string { return "bigint" }

func (sqlserver) tableNamed() string {
	return "select count(*) from information_schema.tables where table_schema = schema_name() and lower(table_name) = @p1"
}
