package postgres

import (
	"context"
	"runtime"
	"slices"

	"plimsoll/internal/describe/doctor"
)

// Checks looks for an installed server, and for one that can be fetched.
func (e Engine) Checks(ctx context.Context) []doctor.Check {
	c := doctor.Check{Name: "PostgreSQL", Status: doctor.OK}.By(doctor.Packages{Debian: "postgresql", Fedora: "postgresql-server"})
	switch v := e.Programs()[0].Versions(ctx); {
	case v != "":
		c.Found = "installed: " + v
	case slices.Contains([]string{"amd64", "arm64", "386", "ppc64le"}, runtime.GOARCH):
		c.Status, c.Found = doctor.Warn, "not installed; an embedded build is downloaded when a study first needs it"
		c.Means = "the first run on PostgreSQL needs network access"
		c.Fetches = "an embedded build of PostgreSQL (60 MB on disk)"
	default:
		c.Status, c.Found = doctor.Fail, "not installed, and no embedded build exists for "+runtime.GOARCH
		c.Means = "studies on PostgreSQL, including the quickstart, cannot run"
	}
	return []doctor.Check{c}
}

// Programs is the server, where PATH leads and where distributions put it.
func (Engine) Programs() []doctor.Program {
	return []doctor.Program{{Name: "postgres", Paths: []string{
		"/usr/lib/postgresql/*/bin/postgres", "/usr/pgsql-*/bin/postgres", "/usr/local/pgsql/bin/postgres",
	}}}
}
