// Package protection says how much of the raw capacity of drives is left for data by copies, erasure
// coding and RAID.
package protection

import (
	"fmt"
	"regexp"
	"strconv"
)

// Scheme is how a pool keeps data when drives and servers fail.
type Scheme struct {
	// Data and Redundant are the parts of a dispersed set (4+2), or 1 and
	// copies-1 of a replicated one.
	Data, Redundant int
	// RAIDData and RAIDParity are the drives of the RAID set under a brick
	// (10 and 2 for RAID 6 of twelve); 1 and 0 on single drives (JBOD).
	RAIDData, RAIDParity int
}

// Name writes the protection as Parse reads it.
func (p Scheme) Name() string {
	name := "replica " + strconv.Itoa(1+p.Redundant)
	if p.Dispersed() {
		name = "disperse " + parts(p.Data, p.Redundant)
	}
	if p.RAIDParity > 0 {
		return name + " on RAID " + parts(p.RAIDData, p.RAIDParity)
	}
	return name + " on JBOD"
}

// parts are the sizes of a set: "4+2".
func parts(data, redundant int) string { return strconv.Itoa(data) + "+" + strconv.Itoa(redundant) }

// Dispersed tells erasure coding from copies.
func (p Scheme) Dispersed() bool { return p.Data > 1 }

// Servers is how many servers a set spans: one brick of a set on each.
func (p Scheme) Servers() int { return p.Data + p.Redundant }

// Efficiency is the usable share of the raw capacity: the RAID set's share times the
// protection's (Red Hat, "Red Hat Gluster Storage on Supermicro storage servers", 2017,
// "Selecting a data protection method" and Figure 3).
func (p Scheme) Efficiency() float64 {
	raid := float64(p.RAIDData) / float64(p.RAIDData+p.RAIDParity)
	return raid * float64(p.Data) / float64(p.Data+p.Redundant)
}

// Usable is what of a raw capacity in bytes can hold data.
func (p Scheme) Usable(raw float64) float64 { return raw * p.Efficiency() }

var pattern = regexp.MustCompile(`^(?:replica (\d{1,2})|disperse (\d{1,2})\+(\d{1,2}))(?: on (?:JBOD|RAID (\d{1,3})\+(\d{1,2})))?$`)

// Parse reads "replica 2 on RAID 10+2", "replica 3" or "disperse 4+2 on JBOD".
func Parse(text string) (Scheme, error) {
	m := pattern.FindStringSubmatch(text)
	if m == nil {
		return Scheme{}, fmt.Errorf("%q is not a protection: write \"replica 2 on RAID 10+2\", \"replica 3\" or \"disperse 4+2 on JBOD\"", text)
	}
	n := func(i int) int { v, _ := strconv.Atoi(m[i]); return v } // digits by the pattern; 0 when absent
	p := Scheme{Data: 1, Redundant: n(1) - 1, RAIDData: 1}
	if m[1] == "" {
		p.Data, p.Redundant = n(2), n(3)
	}
	if m[4] != "" {
		p.RAIDData, p.RAIDParity = n(4), n(5)
	}
	if p.Data < 1 || p.Redundant < 0 || p.RAIDData < 1 || (m[1] == "" && (p.Data < 2 || p.Redundant < 1 || p.Redundant >= p.Data)) {
		return Scheme{}, fmt.Errorf("%q is not a protection: a replica has one copy or more, a dispersed set more data than redundancy", text)
	}
	return p, nil
}
