package dovecot

import (
	"context"
	"fmt"
	"path"

	"plimsoll/internal/app"
	"plimsoll/internal/doctor"
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

func install() string {
	return doctor.Install("dovecot-core dovecot-imapd dovecot-lmtpd", "dovecot")
}

func find(ctx context.Context, version string) (app.Installation, error) {
	all := installed(ctx)
	if in, ok := app.Newest(all, version); ok && in.Is(series) {
		return in, nil
	} else if ok {
		return in, fmt.Errorf("version %s of Dovecot is not supported: use %s", in.Version, series)
	}
	return app.Installation{}, app.NotInstalled("Dovecot", version, all, "run `"+install()+"`")
}

// installed lists what is on the machine.
func installed(ctx context.Context) (all []app.Installation) {
	p := programs()
	for _, file := range p.Files() {
		all = append(all, app.Installation{Engine: name, Source: "installed", Version: p.VersionOf(ctx, file), Paths: map[string]string{program: file}})
	}
	return all
}

var _ doctor.Checker = Engine{}

// Checks looks for an installed program.
func (Engine) Checks(ctx context.Context) []doctor.Check {
	c := doctor.Check{Name: name, Status: doctor.OK, Means: "studies of mail cannot run", Fix: install()}
	if in, err := find(ctx, ""); err == nil {
		c.Found = fmt.Sprintf("installed: %s, %s", in.Version, path.Dir(in.Paths[program]))
	} else {
		c.Status, c.Found = doctor.Warn, err.Error()
	}
	return []doctor.Check{c}
}

// Programs is the server.
func (Engine) Programs() []doctor.Program { return []doctor.Program{programs()} }
