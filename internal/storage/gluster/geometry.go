package gluster

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Geometry is how a volume spreads data over bricks.
type Geometry struct {
	Sets       int // sub-volumes that files are distributed over
	Replica    int // copies in a set, 0 when it is not replicated
	Data       int // k of a dispersed set k+r, 0 when it is not dispersed
	Redundancy int // r of a dispersed set
}

var (
	replicated = regexp.MustCompile(`^(?:replica )?(\d+)$`)
	nByM       = regexp.MustCompile(`^(\d+)x(\d+)$`)
	dispersed  = regexp.MustCompile(`^(?:(\d+)x)?\(?(\d+)\+(\d+)\)?$`)
	spread     = regexp.MustCompile(`^distributed (\d+)$`)
)

// ParseGeometry reads "distributed 3", "replica 3", "2x3" (distributed-
// replicated), "4+2" (dispersed) or "2x(4+2)" (distributed-dispersed).
func ParseGeometry(text string) (Geometry, error) {
	s := strings.ToLower(strings.TrimSpace(strings.ReplaceAll(text, "×", "x")))
	var g Geometry
	if m := spread.FindStringSubmatch(s); m != nil {
		g = Geometry{Sets: number(m[1])}
	} else if m := replicated.FindStringSubmatch(s); m != nil {
		g = Geometry{Sets: 1, Replica: number(m[1])}
	} else if m := nByM.FindStringSubmatch(s); m != nil {
		g = Geometry{Sets: number(m[1]), Replica: number(m[2])}
	} else if m := dispersed.FindStringSubmatch(s); m != nil {
		g = Geometry{Sets: max(1, number(m[1])), Data: number(m[2]), Redundancy: number(m[3])}
	} else {
		return g, fmt.Errorf("%q is not a geometry: write \"distributed 3\", \"replica 3\", \"2x3\", \"4+2\" or \"2x(4+2)\"", text)
	}
	return g, g.check()
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// check refuses what Gluster does not support.
func (g Geometry) check() error {
	switch {
	case g.Sets < 1:
		return fmt.Errorf("a volume needs at least one set of bricks, got %d", g.Sets)
	case g.Data == 0 && g.Replica == 1:
		return fmt.Errorf("one copy is no replication: write \"distributed %d\"", g.Sets)
	case g.Data > 0 && g.Redundancy < 1:
		return fmt.Errorf("a dispersed volume needs at least one brick of redundancy")
	case g.Data > 0 && g.Data <= g.Redundancy:
		// A majority of the bricks has to be there, or writes could diverge.
		return fmt.Errorf("a dispersed volume needs more data bricks than redundancy bricks, got %d+%d", g.Data, g.Redundancy)
	}
	return nil
}

// SetSize is the number of bricks in a set.
func (g Geometry) SetSize() int {
	switch {
	case g.Data > 0:
		return g.Data + g.Redundancy
	case g.Replica > 0:
		return g.Replica
	}
	return 1
}

// Bricks is the number of bricks of a volume.
func (g Geometry) Bricks() int { return g.Sets * g.SetSize() }

// Survives is the number of bricks of a set that may fail without loss of
// access. A replicated set of two loses its majority with one.
func (g Geometry) Survives() int {
	if g.Data > 0 {
		return g.Redundancy
	}
	return max(0, (g.Replica-1)/2)
}

// Efficiency is the share of raw capacity that is usable.
func (g Geometry) Efficiency() float64 {
	switch {
	case g.Data > 0:
		return float64(g.Data) / float64(g.SetSize())
	case g.Replica > 0:
		return 1 / float64(g.Replica)
	}
	return 1
}

// arguments are the words of `gluster volume create` after the volume's name.
func (g Geometry) arguments() []string {
	switch {
	case g.Data > 0:
		return []string{"disperse", strconv.Itoa(g.SetSize()), "redundancy", strconv.Itoa(g.Redundancy)}
	case g.Replica > 0:
		return []string{"replica", strconv.Itoa(g.Replica)}
	}
	return nil
}

// String names the geometry in the field's words.
func (g Geometry) String() string {
	switch {
	case g.Data > 0 && g.Sets > 1:
		return fmt.Sprintf("distributed-dispersed %dx(%d+%d)", g.Sets, g.Data, g.Redundancy)
	case g.Data > 0:
		return fmt.Sprintf("dispersed %d+%d", g.Data, g.Redundancy)
	case g.Replica > 0 && g.Sets > 1:
		return fmt.Sprintf("distributed-replicated %dx%d", g.Sets, g.Replica)
	case g.Replica > 0:
		return fmt.Sprintf("replica %d", g.Replica)
	}
	return fmt.Sprintf("distributed %d", g.Sets)
}
