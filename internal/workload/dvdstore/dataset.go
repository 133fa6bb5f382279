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

// Dataset says what Prepare loads. Parameters that Validate refuses give an
// empty data set.
func (Workload) Dataset(p workload.Parameters, engine string, seed uint64) workload.Dataset {
	own, err := checked(p)
	if err != nil {
		return workload.Dataset{}
	}
	size := own.size()
	return workload.Dataset{
		Key:   fmt.Sprintf("%s%d-%s-seed%d-content%d", Name, own.Version, size.Name, seed, contentVersion),
		Bytes: space(engine, size),
		Description: fmt.Sprintf("DVD Store %d, %s: %s customers, %s orders, %s products", own.Version, size.Name,
			thousands(size.Customers), thousands(size.Orders()), thousands(size.Products)),
	}
}

// bytesPer is the space that loaded tables and their indices take, measured
// with 10MB and 100MB data sets.
type bytesPer struct{ fixed, customer, order, product int64 }

// space estimates the size of tables and indices. An order comes with five
// lines and five rows of history.
func space(engine string, s data.Size) int64 {
	per := bytesPer{fixed: 1 << 20, customer: 350, order: 800, product: 600}
	return per.fixed + per.customer*s.Customers + per.order*s.Orders() + per.product*s.Products
}

// thousands writes a count with separators: 20,000.
func thousands(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
