package dvdstore

import (
	"fmt"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore/data"
	"plimsoll/internal/workload/dvdstore/session"
)

// Parameters are what a study can set. Names and defaults are those of DVD
// Store; users and think time belong to the study's load.
type Parameters struct {
	Version         int     `yaml:"version" json:"version" jsonschema:"enum=2,description=Version of DVD Store; only 2 so far"`
	Size            string  `yaml:"size" json:"size" jsonschema:"description=Size of the database in whole MB or GB: 10MB is small; 1GB medium; 100GB large; others are scaled from them"`
	PctNewCustomers float64 `yaml:"pct_newcustomers" json:"pct_newcustomers" jsonschema:"minimum=0,maximum=100,description=Share of orders by customers who register first in percent"`
	NSearches       int     `yaml:"n_searches" json:"n_searches" jsonschema:"minimum=1,description=Mean number of searches in an order"`
	SearchBatchSize int     `yaml:"search_batch_size" json:"search_batch_size" jsonschema:"minimum=1,description=Mean number of rows asked for in a search"`
	NLineItems      int     `yaml:"n_line_items" json:"n_line_items" jsonschema:"minimum=1,description=Mean number of films in an order"`
}

func defaults() *Parameters {
	return &Parameters{Version: 2, Size: "10MB", PctNewCustomers: 20, NSearches: 3, SearchBatchSize: 5, NLineItems: 5}
}

// Upper bounds keep an order a thing that a person might do, and one batch of
// statements within what the engines take.
const (
	maxSearches  = 1000
	maxBatchSize = 10_000
	maxLineItems = 100
)

// Validate reports every impossible value.
func (p *Parameters) Validate() []workload.ParameterError {
	var all []workload.ParameterError
	wrong := func(field, format string, args ...any) {
		all = append(all, workload.ParameterError{Field: field, Reason: fmt.Sprintf(format, args...)})
	}
	if p.Version != 2 {
		wrong("version", "must be 2: this release supports only DVD Store 2, got %d", p.Version)
	}
	if _, err := data.ParseSize(p.Size); err != nil {
		wrong("size", "%v", err)
	}
	if !(p.PctNewCustomers >= 0 && p.PctNewCustomers <= 100) {
		wrong("pct_newcustomers", "must be 0 to 100 percent, got %v", p.PctNewCustomers)
	}
	within := func(field string, n, limit int) {
		if n < 1 || n > limit {
			wrong(field, "must be 1 to %[2]d, got %[1]d", n, limit)
		}
	}
	within("n_searches", p.NSearches, maxSearches)
	within("search_batch_size", p.SearchBatchSize, maxBatchSize)
	within("n_line_items", p.NLineItems, maxLineItems)
	return all
}

// size gives the parsed size of valid parameters, or an empty one.
func (p *Parameters) size() data.Size {
	s, _ := data.ParseSize(p.Size) // Validate tells
	return s
}

func (p *Parameters) session() session.Config {
	size := p.size()
	return session.Config{
		Customers: size.Customers, Products: size.Products,
		NewCustomers: p.PctNewCustomers / 100,
		Searches:     p.NSearches, SearchBatchSize: p.SearchBatchSize, LineItems: p.NLineItems,
	}
}
