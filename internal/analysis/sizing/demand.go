package sizing

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe/protection"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/text/words"
)

// Demand is a sizing request, as read from a YAML file.
type Demand struct {
	Name string `yaml:"demand" json:"name"` // what the demand is called
	// Instances is how many must be carried within the objectives of the basis.
	Instances int `yaml:"instances" json:"instances"`
	// Users is how many must be carried in place of instances: those that the ladder of the
	// basis counts, such as accelerators. Drives are counted for them.
	Users int `yaml:"users,omitempty" json:"users,omitempty"`
	// Headroom is the share of what the drives carry that users must leave free.
	Headroom Share `yaml:"headroom,omitempty" json:"headroom,omitempty"`
	// Profile is what the instances do: database, small-files, large-files or
	// archive.
	Profile string `yaml:"profile" json:"profile"`
	// Capacity is the usable space of each instance today.
	Capacity unit.Bytes `yaml:"capacity" json:"capacity"`
	// Growth is by how much the space grows in a year, and Years for how long
	// the purchase must last.
	Growth Share   `yaml:"growth,omitempty" json:"growth,omitempty"`
	Years  float64 `yaml:"years,omitempty" json:"years,omitempty"`
	// Fill is how full the pool may be at the end of that time; 0 is 80 %.
	Fill Share `yaml:"fill,omitempty" json:"fill,omitempty"`
	// Survive is how many servers may fail at once without loss of access.
	Survive int `yaml:"survive,omitempty" json:"survive,omitempty"`
	// Pilot relaxes the fault-domain rule, as the source allows for less
	// critical projects.
	Pilot bool `yaml:"pilot,omitempty" json:"pilot,omitempty"`
	// Servers are the models to choose from; without any, the two of the
	// source are taken, without prices.
	Servers []ServerModel `yaml:"servers,omitempty" json:"servers,omitempty"`
	// Protections are the schemes to choose from; if empty, the source's.
	Protections []string  `yaml:"protections,omitempty" json:"protections,omitempty"`
	Currency    string    `yaml:"currency,omitempty" json:"currency,omitempty"`       // of all prices, ISO 4217
	Fixed       float64   `yaml:"fixed_price,omitempty" json:"fixed_price,omitempty"` // what does not grow with the nodes
	Basis       []BasisOf `yaml:"basis,omitempty" json:"basis,omitempty"`             // results to size from
}

// ServerModel is one model of storage server.
type ServerModel struct {
	Name string `yaml:"name" json:"name"` // of the model
	// Drives is how many it holds, and Drive the size of one.
	Drives int        `yaml:"drives" json:"drives"`
	Drive  unit.Bytes `yaml:"drive" json:"drive"`
	// Media is what the drives are: hdd, ssd or nvme; empty when not known.
	Media string `yaml:"media,omitempty" json:"media,omitempty"`
	// Dense servers are those the source keeps for pools above a petabyte.
	Dense bool `yaml:"dense,omitempty" json:"dense,omitempty"`
	// Price is of the server with its licences and support, without drives.
	Price      float64 `yaml:"price,omitempty" json:"price,omitempty"`
	DrivePrice float64 `yaml:"drive_price,omitempty" json:"drive_price,omitempty"` // of one drive
}

// BasisOf names results to size from: a run or reference, the variant, and
// how many storage nodes it was measured on.
type BasisOf struct {
	Of      string `yaml:"of" json:"of"`           // a run, or a reference such as reference/NAME
	Variant string `yaml:"variant" json:"variant"` // whose load line is taken
	Nodes   int    `yaml:"nodes" json:"nodes"`     // storage nodes that it was measured on; not for users
	// Drives is how many the store of a basis for users had; 0 is as the run says.
	Drives int `yaml:"drives,omitempty" json:"drives,omitempty"`
	// Server is the model that comes closest to those nodes; empty for any.
	Server string `yaml:"server,omitempty" json:"server,omitempty"`
}

// Share is a fraction, written "20%".
type Share float64

// UnmarshalText reads "20%".
func (s *Share) UnmarshalText(text []byte) error {
	digits, ok := strings.CutSuffix(strings.TrimSpace(string(text)), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if !ok || err != nil || !stats.IsFinite(v) || v < 0 {
		return fmt.Errorf("%q is not a share: write a number and %%, such as 20%%", text)
	}
	*s = Share(v / 100)
	return nil
}

// MarshalText writes "20%".
func (s Share) MarshalText() ([]byte, error) {
	return []byte(strconv.FormatFloat(float64(s)*100, 'g', 6, 64) + "%"), nil
}

// Profiles of a demand.
const (
	profileDatabase   = "database"
	profileSmallFiles = "small-files"
	profileLargeFiles = "large-files"
	profileArchive    = "archive"
)

// ParseDemand reads a demand strictly and reports every impossible value at
// once.
func ParseDemand(file string, data []byte) (*Demand, error) {
	var d Demand
	if len(bytes.TrimSpace(data)) > 0 { // for an empty file, Check lists the missing fields
		if err := study.Decode(file, data, &d); err != nil {
			return nil, fmt.Errorf("read the demand: %w", err)
		}
	}
	if err := d.Check(); err != nil {
		return nil, fmt.Errorf("read demand %s: %w", file, err)
	}
	return &d, nil
}

func shareText(s Share) string { return words.Exact(100*float64(s)) + "%" }

// priced reports whether the demand names a price.
func (d *Demand) priced() bool {
	return d.Fixed != 0 || slices.ContainsFunc(d.Servers, func(s ServerModel) bool { return s.Price != 0 || s.DrivePrice != 0 })
}

// usualFill is how full a pool may become where the demand does not say: an
// assumption of ours. Near the end file systems slow down, a brick that is full
// fails its writes while others have room, and what heals needs room.
const usualFill = 0.8

// fill is how full the pool may be.
func (d *Demand) fill() float64 {
	if d.Fill == 0 {
		return usualFill
	}
	return float64(d.Fill)
}

// Bounds for sizing: more than anybody buys, and far below the limits of the arithmetic.
const (
	mostInstances = 1_000_000_000
	mostSpace     = 1e21 // a zettabyte, in bytes
	mostPrice     = 1e12
	mostDrives    = 10_000 // of a server
	mostMeasured  = 1_000_000
	leastFill     = 0.01
)

func isPrice(v float64) bool { return v >= 0 && v <= mostPrice } // which NaN is not

// Check reports every impossible value.
func (d *Demand) Check() error {
	if d.Users != 0 {
		return d.checkUsers()
	}
	var problems []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			problems = append(problems, fmt.Errorf(format, args...))
		}
	}
	bad(d.Instances < 1 || d.Instances > mostInstances, "instances: %d; at least one, and at most %d", d.Instances, mostInstances)
	bad(!slices.Contains([]string{profileDatabase, profileSmallFiles, profileLargeFiles, profileArchive}, d.Profile), "profile: %q; one of database, small-files, large-files, archive", d.Profile)
	bad(d.Capacity <= 0, "capacity: the space of an instance must be given, such as 40GB")
	bad(!stats.IsFinite(d.Years) || d.Years < 0 || d.Years > 50, "years: %v; from 0 to 50", d.Years)
	bad(!stats.IsFinite(float64(d.Growth)) || d.Growth < 0 || d.Growth > 10, "growth: %v; from 0%% to 1000%%", float64(d.Growth))
	bad(d.Growth > 0 && d.Years == 0, "growth: %s a year, and years is missing: for how many years must the purchase last?", shareText(d.Growth))
	bad(d.Fill != 0 && !(d.Fill >= leastFill && d.Fill <= 1), "fill: %s; from 1%% to 100%%", shareText(d.Fill))
	bad(len(problems) == 0 && !(needed(d) <= mostSpace), "capacity: %d instances of %s at the end of %v years come to more than a zettabyte", d.Instances, d.Capacity, d.Years)
	bad(d.Currency != "" && !study.IsCurrency(d.Currency), "currency: %q is none; write its code of ISO 4217, such as USD or EUR", d.Currency)
	bad(d.Currency == "" && d.priced(), "currency: missing, and there are prices; write its code of ISO 4217, such as USD or EUR")
	bad(d.Headroom != 0, "headroom: only with users; fill is how full servers may be")
	bad(d.Survive < 0, "survive: %d; not below 0", d.Survive)
	bad(!isPrice(d.Fixed), "fixed_price: %v is not a price of at most %g", d.Fixed, mostPrice)
	for i, s := range d.Servers {
		bad(s.Name == "", "servers[%d]: name is missing", i)
		bad(s.Drives < 1 || s.Drive <= 0 || s.Drives > mostDrives, "servers[%d]: %d drives of %s; both must be given, and a server has at most %d", i, s.Drives, s.Drive, mostDrives)
		bad(s.Media != "" && mediaSpeed[s.Media] == 0, "servers[%d]: media: %q; one of hdd, ssd, nvme", i, s.Media)
		bad(!isPrice(s.Price) || !isPrice(s.DrivePrice), "servers[%d]: price %v and drive_price %v must be prices of at most %g", i, s.Price, s.DrivePrice, mostPrice)
	}
	for i, p := range d.Protections {
		_, err := protection.Parse(p)
		bad(err != nil, "protections[%d]: %w", i, err)
	}
	for i, b := range d.Basis {
		bad(b.Of == "" || b.Variant == "" || b.Nodes < 1 || b.Nodes > mostMeasured, "basis[%d]: of, variant and nodes (at least 1, at most %d) must be given", i, mostMeasured)
		bad(b.Drives != 0, "basis[%d]: drives is for users; give nodes", i)
	}
	return errors.Join(problems...)
}
