package postfix

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/doctor"
)

const (
	name    = "postfix"
	program = "postconf" // which tells the version of all
	daemons = "daemons"  // the directory of its programs
	// Two libraries give Postfix the accounts and the rights that it expects, so that it needs
	// neither: accounts it asks for by name, and changes of its user.
	accounts = "nss_wrapper"
	rights   = "uid_wrapper"
)

// programs asks for the version among all defaults: "mail_version = 3.7.11".
func programs() doctor.Program {
	return doctor.Program{Name: program, Version: "-dh mail_version", Paths: []string{"/usr/sbin/postconf", "/usr/local/sbin/postconf"}}
}

// packages ask Debian's for no configuration: it would start a mail server else.
func packages() doctor.Packages {
	return doctor.Packages{Debian: "postfix libnss-wrapper libuid-wrapper", Fedora: "postfix nss_wrapper uid_wrapper",
		Then: "if Postfix asks, \"No configuration\"; systemctl disable --now postfix"}
}

// Find looks for an installation of a version (3.7; any when empty). None is fetched.
func (Engine) Find(ctx context.Context, version string, _ bool) (app.Installation, error) {
	all, missing := installed(ctx)
	in, ok := app.Newest(all, version)
	switch {
	case ok:
		return in, nil
	case missing != nil:
		return in, fmt.Errorf("%w: run %s", missing, packages().Install())
	}
	return in, app.NotInstalled("Postfix", version, all, "run "+packages().Install())
}

// installed lists the complete installations on the machine, or reports their missing
// parts.
func installed(ctx context.Context) (all []app.Installation, missing error) {
	for _, in := range app.Installed(ctx, name, program, programs()) {
		if missing = complete(in.Paths); missing == nil {
			all = append(all, in)
		}
	}
	return all, missing
}

var errIncomplete = errors.New("the installation of Postfix is not complete")

// complete finds the other parts.
func complete(paths map[string]string) error {
	parts := map[string][]string{
		daemons:  {"/usr/lib/postfix/sbin", "/usr/libexec/postfix"},
		accounts: {"/usr/lib/*/libnss_wrapper.so", "/usr/lib64/libnss_wrapper.so", "/usr/lib/libnss_wrapper.so"},
		rights:   {"/usr/lib/*/libuid_wrapper.so", "/usr/lib64/libuid_wrapper.so", "/usr/lib/libuid_wrapper.so"},
	}
	var none []string
	for part, places := range parts {
		for _, pattern := range places {
			if found, _ := filepath.Glob(pattern); len(found) > 0 && paths[part] == "" { // the patterns are well-formed
				paths[part] = found[0]
			}
		}
		if paths[part] == "" {
			none = append(none, part)
		}
	}
	if len(none) > 0 {
		slices.Sort(none)
		return fmt.Errorf("%w: %s are missing", errIncomplete, strings.Join(none, ", "))
	}
	return nil
}

// Checks looks for an installed program.
func (e Engine) Checks(ctx context.Context) []doctor.Check {
	return app.Checks(ctx, e, program, doctor.Check{Name: name, Means: "studies of mail cannot run"}.By(packages()))
}

// Programs is the server.
func (Engine) Programs() []doctor.Program { return []doctor.Program{programs()} }
