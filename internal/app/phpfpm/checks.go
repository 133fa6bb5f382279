package phpfpm

import (
	"context"
	"strings"

	"plimsoll/internal/describe/doctor"
)

// Checks looks for an installed PHP-FPM and for the extensions of both databases.
func (e Engine) Checks(ctx context.Context) []doctor.Check {
	c := doctor.Check{Name: "PHP-FPM", Status: doctor.OK, Means: "studies whose stacks run pages in PHP cannot run"}.By(packages())
	in, err := e.Find(ctx, "", false)
	if err != nil {
		c.Status, c.Found = doctor.Warn, "not installed"
		if in.Version != "" {
			c.Found = "installed: " + in.Version + ", without its opcode cache"
		}
		return []doctor.Check{c}
	}
	c.Found = "installed: " + in.Version
	var lacking, without []string
	for _, kind := range []string{"sql:postgres", "sql:mariadb"} {
		if name, debian, _ := needed(kind); in.Modules[name] == "" {
			if _, builtIn := in.Modules[name]; !builtIn {
				lacking, without = append(lacking, debian), append(without, name)
			}
		}
	}
	if len(lacking) > 0 {
		c.Status, c.Found = doctor.Warn, c.Found+", without "+strings.Join(without, " and ")
		c.Means = "pages cannot use the databases of these extensions"
		c = c.By(doctor.Packages{Debian: strings.Join(lacking, " "), Fedora: "php-pgsql php-mysqlnd"})
	}
	return []doctor.Check{c}
}

// Programs is the server, where PATH leads and where distributions put it.
func (Engine) Programs() []doctor.Program { return []doctor.Program{programs()} }
