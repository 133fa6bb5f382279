package dvdstore

import (
	"fmt"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore/data"
)

// contentVersion is raised whenever the same size and seed would give other
// rows, tables or indices, so that golden volumes of older releases are not
// taken for new ones.
const contentVersion = 1

// growth is what an order adds to the database, in bytes: rows, indexes and log.
const growth = 4 << 10

// Dataset says what Prepare loads; its database and user are those that other
// DVD Store drivers know. Parameters that Validate refuses and kinds of
// databases that are not known give an empty data set.
func (Workload) Dataset(p workload.Parameters, kinds workload.Kinds, seed uint64) workload.Dataset {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return workload.Dataset{}
	}
	e, err := engineOf(kinds[db], own.Version)
	if err != nil {
		return workload.Dataset{}
	}
	return workload.Loaded(db, own.description(), workload.Contents{
		Key: own.key(seed), Database: e.database(), User: "web", Unkeyed: unkeyed(e),
		Space: workload.Space{Bytes: space(e, data.New(own.size(), seed))},
	})
}

// unkeyed are the tables of an engine without a primary key.
func unkeyed(e engine) (names []string) {
	for _, t := range e.tables() {
		if t.unkeyed {
			names = append(names, t.name)
		}
	}
	return names
}

// key distinguishes data sets: it names all that their rows depend on.
func (p *Parameters) key(seed uint64) string {
	reviews := ""
	if p.Version == 3 {
		reviews = fmt.Sprintf("-members%v-reviews%d", p.PctMembers, p.ReviewsPerProduct)
	}
	return fmt.Sprintf("%s%d-%s%s-seed%d-content%d", Name, p.Version, p.size().Name, reviews, seed, contentVersion)
}

func (p *Parameters) description() string {
	size := p.size()
	text := fmt.Sprintf("DVD Store %d, %s: %s customers, %s orders, %s products", p.Version, size.Name,
		thousands(size.Customers), thousands(size.Orders()), thousands(size.Products))
	if p.Version == 3 {
		text += fmt.Sprintf(", %s members, %s reviews", thousands(size.Members), thousands(size.Reviews))
	}
	return text
}

// space estimates the size of the loaded tables with their indices, without
// the server's own files and logs.
func space(e engine, g data.Generator) (bytes int64) {
	for _, t := range e.tables() {
		if t.loaded {
			bytes += t.fixed + e.allocated(t.space*g.Keys(t.rows))
		}
	}
	return bytes
}

// thousands writes a count with separators: 20,000.
func thousands(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
