package dovecot

import (
	"context"
	"fmt"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/doctor"
)

const (
	name    = "dovecot"
	program = "dovecot"
	// series is the one whose configuration is written: 2.4 has another.
	series = "2.3"
)

func programs() doctor.Program {
	return doctor.Program{Name: program, Paths: []string{"/usr/sbin/dovecot", "/usr/local/sbin/dovecot"}}
}

func packages() doctor.Packages {
	return doctor.Packages{Debian: "dovecot-core dovecot-imapd dovecot-lmtpd", Fedora: "dovecot"}
}

// Find looks for an installation of a version (2.3; any when empty). None is fetched.
func (Engine) Find(ctx context.Context, version string, _ bool) (app.Installation, error) {
	all := app.Installed(ctx, name, program, programs())
	if in, ok := app.Newest(all, version); ok && in.Is(series) {
		return in, nil
	} else if ok {
		return in, fmt.Errorf("version %s of Dovecot is not supported: use %s", in.Version, series)
	}
	return app.Installation{}, app.NotInstalled("Dovecot", version, all, "run `"+packages().Install()+"`")
}

// Checks looks for an installed program.
func (e Engine) Checks(ctx context.Context) []doctor.Check {
	return app.Checks(ctx, e, program, doctor.Check{Name: name, Means: "studies of mail cannot run"}.By(packages()))
}

// Programs is the server.
func (Engine) Programs() []doctor.Program { return []doctor.Program{programs()} }
