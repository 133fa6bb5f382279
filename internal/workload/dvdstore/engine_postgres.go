package dvdstore

import "fmt"

type postgres struct{ version int }

func (p postgres) tables() []table { return postgresTables(p.version) }

func (postgres) allocated(bytes int64) int64 { return bytes }

func (p postgres) database() string { return fmt.Sprintf("ds%d", p.version) }

func (postgres) session() []string { return []string{`set synchronous_commit = off`} }

func (postgres) digest(text string) string {
	return "cast(cast('x' || substr(md5(" + text + "), 1, 8) as bit(32)) as bigint)"
}

func (postgres) day(date string) string { return extractedDay(date) }

func (postgres) bigint() string { return "bigint" }

func (postgres) tableNamed() string {
	return "select count(*) from information_schema.tables where table_schema = current_schema() and lower(table_name) = $1"
}
