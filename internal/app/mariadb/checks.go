package mariadb

import (
	"context"

	"plimsoll/internal/describe/doctor"
)

// Checks looks for an installed server.
func (e Engine) Checks(ctx context.Context) []doctor.Check {
	c := doctor.Check{Name: "MariaDB", Status: doctor.OK}
	if v := e.Programs()[0].Versions(ctx); v != "" {
		c.Found = "installed: " + v
		return []doctor.Check{c}
	}
	c.Status, c.Found = doctor.Warn, "not installed"
	c.Means = "studies on MariaDB have to download it first, if they can run at all"
	return []doctor.Check{c.By(doctor.Packages{Debian: "mariadb-server-core", Fedora: "mariadb-server"})}
}

// Programs is the server.
func (Engine) Programs() []doctor.Program { return []doctor.Program{{Name: "mariadbd"}} }
