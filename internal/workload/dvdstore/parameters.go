package dvdstore

import (
	"plimsoll/internal/describe"
	"plimsoll/internal/workload/dvdstore/data"
	"plimsoll/internal/workload/dvdstore/session"
)

// Parameters are the settings of a study. Names and defaults are the DVD Store's; users and
// think time belong to the study's load. PctMembers and the parameters after it are of
// version 3 and do nothing in version 2.
type Parameters struct {
	Version         int     `yaml:"version" json:"version" jsonschema:"enum=2,enum=3,description=Version of DVD Store: 3 adds members and reviews"`
	Tier            Tier    `yaml:"tier" json:"tier" jsonschema:"enum=database,enum=web,description=What users talk to: the database or a web server in front of it"`
	Size            string  `yaml:"size" json:"size" jsonschema:"description=Size of the database in whole MB or GB: 10MB is small; 1GB medium; 100GB large; others are scaled from them"`
	PctNewCustomers float64 `yaml:"pct_newcustomers" json:"pct_newcustomers" jsonschema:"minimum=0,maximum=100,description=Share of orders by customers who register first in percent"`
	NSearches       int     `yaml:"n_searches" json:"n_searches" jsonschema:"minimum=1,maximum=1000,description=Mean number of searches in an order"`
	SearchBatchSize int     `yaml:"search_batch_size" json:"search_batch_size" jsonschema:"minimum=1,maximum=10000,description=Mean number of rows asked for in a search"`
	NLineItems      int     `yaml:"n_line_items" json:"n_line_items" jsonschema:"minimum=1,maximum=100,description=Mean number of films in an order"`

	PctMembers        float64 `yaml:"pct_members" json:"pct_members" jsonschema:"minimum=0,maximum=100,description=Version 3: share of the loaded customers who are members in percent"`
	ReviewsPerProduct int     `yaml:"reviews_per_product" json:"reviews_per_product" jsonschema:"minimum=1,maximum=1000,description=Version 3: mean number of loaded reviews of a film"`
	PctNewMember      float64 `yaml:"pct_newmember" json:"pct_newmember" jsonschema:"minimum=0,maximum=100,description=Version 3: share of orders by customers who become members first in percent"`
	NReviews          int     `yaml:"n_reviews" json:"n_reviews" jsonschema:"minimum=1,maximum=1000,description=Version 3: mean number of searches for reviews in an order; and of requests for the reviews of a film"`
	PctNewReviews     float64 `yaml:"pct_newreviews" json:"pct_newreviews" jsonschema:"minimum=0,maximum=100,description=Version 3: share of orders in which the customer writes a review in percent"`
	PctNewHelpfulness float64 `yaml:"pct_newhelpfulness" json:"pct_newhelpfulness" jsonschema:"minimum=0,maximum=100,description=Version 3: share of orders in which the customer rates how helpful a review is in percent"`
	SearchDepth       int     `yaml:"search_depth" json:"search_depth" jsonschema:"minimum=1,maximum=1000000,description=Version 3: how many reviews a search looks at to find the most helpful ones"`
}

// Tier is what users talk to.
type Tier string

// Tiers.
const (
	Database Tier = "database"
	Web      Tier = "web"
)

func defaults() *Parameters {
	return &Parameters{
		Version: 2, Tier: Database, Size: "10MB",
		PctNewCustomers: 20, NSearches: 3, SearchBatchSize: 5, NLineItems: 5,
		PctMembers: 10, ReviewsPerProduct: 20,
		PctNewMember: 1, NReviews: 3, PctNewReviews: 5, PctNewHelpfulness: 10, SearchDepth: 500,
	}
}

// Validate reports every impossible value.
func (p *Parameters) Validate() []describe.Problem {
	w := describe.Bounds(p)
	if p.Version != 2 && p.Version != 3 {
		w.Add("version", "must be 2 or 3, got %d", p.Version)
	}
	if _, err := data.ParseSize(p.Size); err != nil {
		w.Add("size", "%v", err)
	} else if _, err := p.stored(); err != nil {
		w.Add("reviews_per_product", "%v", err)
	}
	return w
}

// unused returns the parameters of version 3 if the version is 2.
func (p *Parameters) unused() []string {
	if p.Version == 3 {
		return nil
	}
	return []string{"pct_members", "reviews_per_product", "pct_newmember", "n_reviews", "pct_newreviews", "pct_newhelpfulness", "search_depth"}
}

// stored returns how many rows of each kind are loaded.
func (p *Parameters) stored() (data.Size, error) {
	size, err := data.ParseSize(p.Size)
	if err != nil || p.Version != 3 {
		return size, err
	}
	return size.WithReviews(int64(p.ReviewsPerProduct), p.PctMembers/100)
}

// size returns the rows of valid parameters, or nothing.
func (p *Parameters) size() data.Size {
	s, _ := p.stored() // Validate tells
	return s
}

func (p *Parameters) session() session.Config {
	size := p.size()
	return session.Config{
		Version:   p.Version,
		Customers: size.Customers, Products: size.Products, Reviews: size.Reviews,
		NewCustomers: p.PctNewCustomers / 100,
		Searches:     p.NSearches, SearchBatchSize: p.SearchBatchSize, LineItems: p.NLineItems,
		NewMembers:     p.PctNewMember / 100,
		ReviewSearches: p.NReviews, SearchDepth: p.SearchDepth,
		NewReviews: p.PctNewReviews / 100, NewHelpfulness: p.PctNewHelpfulness / 100,
	}
}
