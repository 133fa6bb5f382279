// Package items compares variants by the items of a list, such as queries, which every user
// runs once each: the time of each item, their geometric mean, the total time, the
// utilisation meanwhile, and the cost. It returns numbers, not sentences.
package items

import "plimsoll/internal/analysis/stats"

// List holds the results of a list's items at one rung, by variant.
type List struct {
	Rung    int      `json:"rung"`    // users or instances, as the ladder counts
	Columns []Column `json:"columns"` // the variants that measured it, as in the plan
	Rows    []Row    `json:"rows"`    // the items, in the order of the list
	// Common is how many items no variant failed in any repetition; geometric means are
	// over these.
	Common int `json:"common"`
	// Changes hold every other variant against the first one, by item.
	Changes []ItemChange `json:"changes,omitempty"`

	Differ []string `json:"differ,omitempty"` // which items differ, in words, a sentence for each other variant
	Bounds []string `json:"bounds,omitempty"` // what items are bound by, in words, a sentence for each variant
	Store  []string `json:"store,omitempty"`  // the gain from a faster store, in words, a sentence for each variant
	Priced string   `json:"priced,omitempty"` // the basis of costs, or why there are none, in words
}

// Column is a variant over all items.
type Column struct {
	Variant     string `json:"variant"`     // name
	Repetitions int    `json:"repetitions"` // that passed
	// Total is the time for all items in seconds, until the last user had finished. It is
	// missing where an item failed, since the list was not done then.
	Total     stats.Interval `json:"total,omitzero"`
	Geometric stats.Interval `json:"geometric,omitzero"` // mean of the times of the common items, s
	// Against is the relative change of the geometric mean against the first variant.
	Against stats.Interval `json:"against,omitzero"`
	Failed  int            `json:"failed,omitempty"`  // items that failed in a repetition or more
	Storage *Storage       `json:"storage,omitempty"` // missing where no device behind the storage was sampled
	Cost    *Cost          `json:"cost,omitempty"`    // missing where the study has no prices, or nothing was done
	// Read is how many bytes the engine says that it read from the store for all items of
	// all users, the median over the repetitions. It is missing if any item has no count,
	// or failed.
	Read float64 `json:"read,omitempty"`
	// Short counts the items that took too little time for samples of telemetry. Shared
	// reports that several users were at work, so that no item has a utilisation.
	Short  int  `json:"short,omitempty"`
	Shared bool `json:"shared,omitempty"` // see Short
}

// Storage bounds the gain from a faster store.
type Storage struct {
	// Busy is the largest share of the time, 0 to 1, in which a request can have been under
	// way at any device: the sum over the devices. In the rest a faster store saves nothing.
	Busy float64 `json:"busy"`
	// Faster is at most how many times as fast the work would be if storage took no time,
	// 1/(1-Busy) (Amdahl 1967); missing where nothing bounds it.
	Faster float64 `json:"faster,omitempty"`
}

// Little reports whether the saving is so small that it is better stated as a share of the
// time.
func (s Storage) Little() bool { return s.Faster > 0 && s.Faster < 1.1 }

// Cost is what items cost if the variant did them all through the years that the study
// counts prices for, in its currency.
type Cost struct {
	Each float64 `json:"each"` // per item: one query
	// Terabyte is per 10^12 bytes that the engine says it read from the store (scanned);
	// missing where Read of the column is.
	Terabyte float64 `json:"terabyte,omitempty"`
}

// Row is one item.
type Row struct {
	Name  string `json:"name"`  // the operation
	Cells []Cell `json:"cells"` // one for each column
}

// Cell is one item of one variant.
type Cell struct {
	// Time is in seconds, the median over the repetitions of the mean over users; missing
	// where the item never succeeded.
	Time  stats.Interval `json:"time,omitzero"`
	Ratio float64        `json:"ratio,omitempty"` // Time divided by the fastest variant's
	// Failed is how often the item failed, and Errors by what.
	Failed int64            `json:"failed,omitempty"`
	Errors map[string]int64 `json:"errors,omitempty"` // see Failed
	Busy   *Utilisation     `json:"busy,omitempty"`   // missing where no telemetry within its time tells
	// Read is how many bytes the engine says that it read from the store for the item, the
	// median over the repetitions of the mean over users; missing as Column.Read is.
	Read float64 `json:"read,omitempty"`
}

// Bound is what an item's time goes to.
type Bound string

// What an item can be bound by.
const (
	ByStorage Bound = "storage"
	ByCPU     Bound = "cpu"
	ByNetwork Bound = "network"
)

// Utilisation is the utilisation while an item was the only work: the median over the
// repetitions.
type Utilisation struct {
	Samples int      `json:"samples"`           // within its time, the fewest of a repetition
	Storage *Storage `json:"storage,omitempty"` // missing where no device was sampled
	CPU     *float64 `json:"cpu,omitempty"`     // of the busiest machine or limit, 0 to 1
	Network *float64 `json:"network,omitempty"` // of the busiest interface, 0 to 1
	// Others is the share of a CPU that processes outside the trial took; CPU is without it.
	Others float64 `json:"others,omitempty"`
	// Bound is the resource that was busy for at least half of the time, and half as much
	// again as any other; CPU used by others counts as another. It is missing if there is
	// none.
	Bound Bound `json:"bound,omitempty"`
}

// ItemChange is what an item takes on another variant, against the first one.
type ItemChange struct {
	Item string         `json:"item"` // name
	From string         `json:"from"` // the first variant
	To   string         `json:"to"`   // the other one
	Time stats.Interval `json:"time"` // relative change: 0.05 is 5 % longer
	// Shown is the direction of the change: faster, slower or same; missing if the
	// repetitions show none.
	Shown ChangeVerdict `json:"shown,omitempty"`
}

// ChangeVerdict is the direction of a change, as far as the repetitions show it.
type ChangeVerdict string

// What repetitions can show of an item.
const (
	Faster ChangeVerdict = "faster"
	Slower ChangeVerdict = "slower"
	Same   ChangeVerdict = "same"
)
