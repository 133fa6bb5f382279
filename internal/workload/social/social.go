// Package social is a social-events web application and its users: people find events by
// tag, look at them and at each other, attend, comment, register with a picture and announce
// events with a picture and a document. Pages in PHP (the directory php) run on the stack of
// web server, PHP and database that the DVD Store has, too; files lie in the database or on
// a volume. The
// mix and the limits are those published for CloudStone's Olio; application, data and
// driver are our own. docs/workloads/social.md describes it.
package social

import (
	"context"
	"embed"
	"maps"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/sqldb"
)

// Name is the workload's key in studies.
const Name = "social"

// Roles of an instance.
const (
	db  = "db"
	php = "php"
	web = "web"
)

// Workload implements workload.Workload.
type Workload struct{}

var _ workload.Workload = Workload{}

// Capabilities implements workload.Workload. Pages are many small events, for the poller.
func (w Workload) Capabilities() workload.Capabilities {
	return workload.Capabilities{Audit: w.Audit, Polls: func(workload.Parameters) bool { return true }}
}

// Name returns the registry key.
func (Workload) Name() string { return Name }

// Defaults returns fresh parameters.
func (Workload) Defaults() workload.Parameters { return defaults() }

// Describe counts visits: one page of the mix, with what belongs to it.
func (Workload) Describe(workload.Parameters) describe.Profile {
	return describe.Profile{
		Workload:   Name,
		Unit:       describe.Unit{Name: "visit", Plural: "visits", Throughput: "visits/min", Seconds: 60},
		Operations: operationNames,
		Growth:     growth,
	}
}

// growth is what a visit adds to the database on average, in bytes: 2 % of them announce an
// event with its files, 1 % register a person.
const growth = 2 << 10

// Roles are the database, the pages in front of it, and the web server that users talk to.
// Where pages keep files on a volume of theirs, loading and the audit go through them, too.
func (Workload) Roles(p workload.Parameters) []workload.Role {
	needed, mounts := workload.WhileDriven, []describe.Mount(nil)
	if own, err := workload.Own[*Parameters](Name, p); err == nil && own.Files == onVolume {
		needed, mounts = workload.Always, []describe.Mount{{Name: filesMount, Kinds: []string{endpoint.Directory}}}
	}
	return []workload.Role{
		{Name: db, Kinds: []string{sqlwire.Postgres, sqlwire.MariaDB}, Mounts: workload.Data(), Needed: workload.Always},
		{Name: php, Kinds: []string{fastCGI}, After: []string{db}, Mounts: mounts, Needed: needed, Content: pages()},
		{Name: web, Kinds: []string{endpoint.Site}, After: []string{php}, Needed: needed},
	}
}

// fastCGI is the kind of servers that run pages, and filesMount their volume for files.
const (
	fastCGI    = "fastcgi"
	filesMount = "files"
)

//go:embed php
var source embed.FS

// pages are the texts of the site by path: social/home.php, lib/site.php.
func pages() map[string]string {
	files := sqldb.Library()
	maps.Copy(files, sqldb.Texts(source, "php/lib", "lib"))
	maps.Copy(files, sqldb.Texts(source, "php/pages", directory))
	return files
}

// directory is where the pages lie, relative to the site.
const directory = "social/"

// Open connects one user.
func (Workload) Open(ctx context.Context, t workload.Target, p workload.Parameters, _ int, seed uint64) (workload.Session, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return nil, err
	}
	return open(ctx, t.Endpoint(web), own, seed)
}
