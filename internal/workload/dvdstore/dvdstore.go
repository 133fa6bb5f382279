// Package dvdstore is the DVD Store 2 workload: an online shop whose customers
// log in or register, browse for films by category, actor or title and
// purchase some of them. It is compatible with Dell's and VMware's DVD Store
// (the same tables, session and statement mix) and was written from a
// description of it; docs/workloads/dvdstore.md says what differs.
//
// Package data below it makes the rows, package session plays the users, who
// reach the shop through package sqlshop; this package creates and fills the
// tables and audits them afterwards, by what sessions kept in package receipt.
package dvdstore

import (
	"context"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore/pages"
	"plimsoll/internal/workload/dvdstore/session"
	"plimsoll/internal/workload/dvdstore/sqlshop"
	webshop "plimsoll/internal/workload/dvdstore/web"
)

// Name is the workload's key in studies.
const Name = "dvdstore"

// Roles of an instance: the shop's database, the application server that runs
// its pages, and the web server that users talk to.
const (
	db  = "db"
	php = "php"
	web = "web"
)

// Workload implements workload.Workload.
type Workload struct{}

var _ workload.Workload = Workload{}

// Capabilities implements workload.Workload.
func (w Workload) Capabilities() workload.Capabilities {
	return workload.Capabilities{Audit: w.Audit, Polls: w.polls}
}

// Name returns the registry key.
func (Workload) Name() string { return Name }

// Defaults returns fresh parameters: DVD Store 2 of 10MB as its users know it.
func (Workload) Defaults() workload.Parameters { return defaults() }

// Describe counts orders, by the minute as DVD Store does.
func (Workload) Describe(p workload.Parameters) describe.Profile {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		own = defaults()
	}
	return describe.Profile{
		Workload:   Name,
		Unit:       describe.Unit{Name: "order", Plural: "orders", Throughput: "OPM", Seconds: 60},
		Operations: operations(own),
		Growth:     growth,
		Unused:     own.unused(),
	}
}

// operations names what sessions report. Web sites restock by themselves.
func operations(own *Parameters) []string {
	var names []string
	for _, o := range session.Operations(own.Version, own.Tier == Database) {
		names = append(names, o.String())
	}
	return names
}

// Roles of an instance: one database, and on the tier web the pages in front of it
// with the web server that users talk to.
func (Workload) Roles(p workload.Parameters) []workload.Role {
	database := workload.Role{Name: db, Kinds: []string{sqlwire.Postgres, sqlwire.MariaDB}, Mounts: workload.Data(), Needed: workload.Always}
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil || own.Tier != Web {
		database.Kinds = append(database.Kinds, sqlwire.SQLServer) // for which there are no pages
		return []workload.Role{database}
	}
	return append([]workload.Role{database},
		workload.Role{Name: php, Kinds: []string{"fastcgi"}, After: []string{db}, Needed: workload.WhileDriven, Content: pages.Files(own.Version)},
		workload.Role{Name: web, Kinds: []string{"http"}, After: []string{php}, Needed: workload.WhileDriven},
	)
}

// Open connects one user.
func (Workload) Open(ctx context.Context, t workload.Target, p workload.Parameters, _ int, seed uint64) (workload.Session, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return nil, err
	}
	shop, err := own.openShop(ctx, t)
	if err != nil {
		return nil, err
	}
	return session.New(shop, own.session(), seed), nil
}

// openShop connects one user to what users of the tier talk to.
func (p *Parameters) openShop(ctx context.Context, t workload.Target) (session.Shop, error) {
	if p.Tier == Web {
		return webshop.Open(ctx, t.Endpoint(web), p.Version)
	}
	return sqlshop.Open(ctx, t.Endpoint(db), p.Version)
}

// polls reports whether users ask for pages: these are many small events, which the poller
// takes several of at once.
func (Workload) polls(p workload.Parameters) bool {
	own, err := workload.Own[*Parameters](Name, p)
	return err == nil && own.Tier == Web
}
