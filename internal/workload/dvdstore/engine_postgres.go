package dvdstore

type postgres struct{}

func (postgres) tables() []table { return postgresTables() }

func (postgres) allocated(bytes int64) int64 { return bytes }

func (postgres) database() string { return "ds2" }

func (postgres) session() []string { return []string{`set synchronous_commit = off`} }
