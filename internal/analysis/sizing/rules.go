package sizing

import (
	"math"

	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe/protection"
	"plimsoll/internal/text/words"
)

// guide is the source of the sizing rules.
const guide = "Red Hat, “Red Hat Gluster Storage on Supermicro storage servers”, 2017, "

// combination is one server model under one protection, sized from one basis.
type combination struct {
	demand     *Demand
	server     ServerModel
	protection protection.Scheme
	basis      Basis
	needed     float64 // bytes
	rules      []FiredRule
}

func (c *combination) fire(rule, source, format string, args ...any) {
	c.rules = append(c.rules, FiredRule{Rule: rule, Text: say.F(format, args...), Source: source})
}

// propose finds the fewest nodes that keep every rule, or the rule that
// forbids the combination.
func (c *combination) propose() (Proposal, *FiredRule) {
	for _, forbids := range []func() *FiredRule{c.cannotSurvive, c.noWholeRAID, c.slowerMedia} {
		if f := forbids(); f != nil {
			return Proposal{}, f
		}
	}
	performance, outOfReach := c.forPerformance()
	if outOfReach != nil {
		return Proposal{}, outOfReach
	}
	nodes := max(c.forCapacity(), performance)
	nodes = c.atLeast(nodes)
	nodes = c.wholeSets(nodes)
	nodes = c.faultDomain(nodes)
	if f := c.denseTooSmall(nodes); f != nil {
		return Proposal{}, f
	}
	if nodes > maxNodes {
		return Proposal{}, &FiredRule{Rule: "size", Source: guide + "“Qualifying the need”",
			Text: say.F("it would take %s, and a pool is limited to %d", serversText(nodes), maxNodes)}
	}
	p := c.proposal(nodes)
	c.table(&p)
	p.Rules = c.rules
	return p, nil
}

// cannotSurvive: copies-1 or the redundancy of a set is what may fail at once.
func (c *combination) cannotSurvive() *FiredRule {
	if c.demand.Survive <= c.protection.Redundant {
		return nil
	}
	return &FiredRule{Rule: "survive", Source: guide + "“GlusterFS volume types”",
		Text: say.F("%s survives the loss of %s, but the demand asks to survive %d", c.protection.Name(), say.Count(c.protection.Redundant, "server"), c.demand.Survive)}
}

// noWholeRAID: the drives of a server must make whole RAID sets.
func (c *combination) noWholeRAID() *FiredRule {
	set := c.protection.RAIDData + c.protection.RAIDParity
	if c.server.Drives%set == 0 {
		return nil
	}
	return &FiredRule{Rule: "raid", Source: guide + "“Gluster volume architecture”",
		Text: say.F("%d drives per server cannot be divided evenly into RAID sets of %d", c.server.Drives, set)}
}

// forCapacity is raw x RAID efficiency x protection efficiency.
func (c *combination) forCapacity() int {
	each, fill := c.protection.Usable(c.nodeBytes()), c.demand.fill()
	nodes := stats.Ceil(c.needed / (each * fill))
	if c.demand.Growth > 0 && c.demand.Years > 0 {
		c.fire("growth", "arithmetic", "%s × %s, growing by %s a year for %s years, is %s",
			say.Count(c.demand.Instances, "instance"), c.demand.Capacity, words.Percent(float64(c.demand.Growth)), words.Figures(c.demand.Years), terabytes(c.needed))
	}
	c.fire("capacity", guide+"“Selecting a data protection method”, Figure 3",
		"a %s server has %d × %s, of which %s is usable with %s, so %s need %s", c.server.Name, c.server.Drives, c.server.Drive,
		words.Percent(c.protection.Efficiency()), c.protection.Name(), terabytes(c.needed), serversText(nodes))
	source := say.F("the demand")
	if c.demand.Fill == 0 {
		source = say.F("an assumption; set fill: in the demand to change it")
	}
	c.fire("fill", source, "the usable capacity is filled to at most %s", words.Percent(fill))
	return nodes
}

// serversText is a number of servers; those that stats.Ceil does not count are only "more".
func serversText(n int) string {
	if n >= math.MaxInt32 {
		return say.F("more than %s servers", words.Whole(math.MaxInt32))
	}
	return say.Count(n, "server")
}

func (c *combination) nodeBytes() float64 { return float64(c.server.Drives) * float64(c.server.Drive) }

// forPerformance scales the lower end of the measured load line, or says why
// no number of nodes is enough. Only a line that storage set grows with the
// storage nodes.
func (c *combination) forPerformance() (int, *FiredRule) {
	b := c.basis
	if b.Nodes == 0 {
		return 1, nil
	}
	if c.basis.carries(b.Nodes).Low >= float64(c.demand.Instances) {
		c.fire("performance", b.Name, "%s carries %s on %s, enough for %d", b.Name, lineWords(b), say.Count(b.Nodes, "node"), c.demand.Instances)
		return b.Nodes, nil
	}
	for n := b.Nodes + 1; n <= maxNodes; n++ {
		if c.basis.carries(n).Low >= float64(c.demand.Instances) {
			c.fire("performance", b.Name, "%s carries %s on %s; scaled to more nodes, with an allowance for scaling losses, %d carry %s", b.Name, lineWords(b), say.Count(b.Nodes, "node"), n, LineText(c.basis.carries(n)))
			return n, nil
		}
	}
	text := say.F("%s carries %s on %s", b.Name, lineWords(b), say.Count(b.Nodes, "node"))
	if b.storageBound() {
		text += say.F("; the %d nodes of the largest pool would carry %s, and %d are required", maxNodes, LineText(c.basis.carries(maxNodes)), c.demand.Instances)
	} else {
		text += say.F(", limited by %s, which adding storage nodes does not relieve, and %d are required", b.Limiting, c.demand.Instances)
	}
	return 0, &FiredRule{Rule: "performance", Source: b.Name, Text: text}
}

func lineWords(b Basis) string {
	if b.Open {
		return say.F("at least %s", words.Thousands(b.LoadLine.Value))
	}
	return say.Text(b.LoadLine)
}

// growthExponent is the least that is expected of growth by more nodes: a pool
// twice as large carries at least 2^0.8 = 1.74 times as much. It is an
// assumption of ours, for pools without measurements at two sizes.
const growthExponent = 0.8

// carries is the load line on n nodes: at most in proportion, at least by the
// power above.
func (b Basis) carries(n int) stats.Interval {
	l, scale := b.LoadLine, float64(n)/float64(b.Nodes)
	if !b.storageBound() {
		scale = min(scale, 1) // fewer nodes may carry less, more do not carry more
	}
	low, high := min(scale, math.Pow(scale, growthExponent)), max(scale, math.Pow(scale, growthExponent))
	if scale == 1 {
		low, high = 1, 1
	}
	least := math.Floor(l.Low * low)
	if b.Open { // every rung kept the objectives: nothing was seen that limits
		return stats.Interval{Value: least, Low: least, High: math.Inf(1), Confidence: l.Confidence}
	}
	return stats.Interval{Value: math.Floor(l.Value * scale), Low: least, High: math.Ceil(l.High * high), Confidence: l.Confidence}
}

// LineText writes how many are carried: a lower bound as one.
func LineText(i stats.Interval) string {
	if math.IsInf(i.High, 1) {
		return say.F("at least %s", words.Thousands(i.Low))
	}
	return say.Range(i)
}

// storageBound reports whether a line was set by storage, or that it is not known
// what set it.
func (b Basis) storageBound() bool {
	return b.Limiting == "" || b.Limiting.OfStorage() && !b.Elsewhere
}

// atLeast applies the recommended minimum of the source.
func (c *combination) atLeast(nodes int) int {
	least, kind := 4, say.F("replicated")
	if c.protection.Dispersed() {
		least, kind = 6, say.F("dispersed")
	}
	if nodes >= least {
		return nodes
	}
	c.fire("minimum", guide+"“Determining fault domain risk tolerance”",
		"a %s pool should have at least %d servers; the supported minimum is two and a quorum node", kind, least)
	return least
}

// wholeSets rounds up to whole sets of bricks, one brick of a set a server.
func (c *combination) wholeSets(nodes int) int {
	set := c.protection.Servers()
	if nodes%set == 0 || set < 2 {
		return nodes
	}
	whole := (nodes + set - 1) / set * set
	c.fire("set", guide+"“Gluster volume architecture”", "%s spreads each set over %d servers, so %d is rounded up to %d", c.protection.Name(), set, nodes, whole)
	return whole
}

// petabyte and largestShare are the fault-domain rule: above a petabyte of raw
// capacity a server should hold less than 17 % of the pool.
const (
	petabyte     = 1e15
	largestShare = 0.17
)

func (c *combination) faultDomain(nodes int) int {
	if float64(nodes)*c.nodeBytes() < petabyte || 1/float64(nodes) < largestShare {
		return nodes
	}
	source := guide + "“Determining fault domain risk tolerance”"
	if c.demand.Pilot {
		c.fire("fault-domain", source, "each of %d servers holds %s of the pool, more than the recommended 17 %%; relaxed for a pilot", nodes, words.Percent(1/float64(nodes)))
		return nodes
	}
	c.fire("fault-domain", source, "above a petabyte a server should hold less than 17 %% of the pool; with %d servers each holds %s", nodes, words.Percent(1/float64(nodes)))
	return c.wholeSets(stats.Ceil(1/largestShare + 1e-9))
}

// denseTooSmall keeps dense servers for pools above a petabyte.
func (c *combination) denseTooSmall(nodes int) *FiredRule {
	raw := float64(nodes) * c.nodeBytes()
	if !c.server.Dense || raw > petabyte || c.demand.Pilot {
		return nil
	}
	return &FiredRule{Rule: "dense", Source: guide + "“Determining fault domain risk tolerance”",
		Text: say.F("dense servers are for pools above a petabyte of raw capacity; this one has %s", terabytes(raw))}
}

func (c *combination) proposal(nodes int) Proposal {
	raw := float64(nodes) * c.nodeBytes()
	p := Proposal{
		Server: c.server.Name, Protection: c.protection.Name(), Basis: c.basis.Name,
		Nodes: nodes, Drives: nodes * c.server.Drives, Raw: raw, Usable: c.protection.Usable(raw),
		Full: c.needed / c.protection.Usable(raw), Down: max(c.demand.Survive, 1),
	}
	left := max(nodes-p.Down, 0)
	if left >= c.protection.Servers() {
		p.Left = c.protection.Usable(float64(left) * c.nodeBytes())
	}
	c.setPrice(&p)
	if c.basis.Nodes > 0 {
		c.setLoadLine(&p, left)
	}
	c.failure(&p)
	return p
}

// setLoadLine says what the pool carries, whole and without the servers that
// failed.
func (c *combination) setLoadLine(p *Proposal, left int) {
	nodes := p.Nodes
	line, degraded := c.basis.carries(nodes), c.basis.carries(max(left, 1))
	p.LoadLine, p.Degraded = &line, &degraded
	for n := 1; n <= nodes+max(nodes/2, 1) && n <= maxNodes; n++ {
		i := c.basis.carries(n)
		p.ByNodes = append(p.ByNodes, stats.Point{N: float64(n), Value: i.Value, Low: i.Low, High: i.High})
	}
}

// failure describes the state after the servers fail: whether the others have room to
// restore the lost data, and whether they carry the load.
func (c *combination) failure(p *Proposal) {
	text := say.F("without %s the remaining servers hold %s", say.Count(p.Down, "server"), terabytes(p.Left))
	switch {
	case p.Left == 0:
		text = say.F("without %s no complete set of %d servers is left: data has reduced protection until they are replaced", say.Count(p.Down, "server"), c.protection.Servers())
	case p.Left*c.demand.fill() >= c.needed:
		text += say.F(", enough to restore all %s", terabytes(c.needed))
	default:
		text += say.F(", too little to restore all %s within the fill limit: data has reduced protection until they are replaced", terabytes(c.needed))
	}
	if p.Degraded != nil {
		text += say.F("; they carry %s", LineText(*p.Degraded))
		if p.Degraded.Low < float64(c.demand.Instances) {
			text += say.F(", possibly too few for %d", c.demand.Instances)
		}
	}
	c.fire("failure", "arithmetic", "%s", text)
}

func (c *combination) setPrice(p *Proposal) {
	if c.server.Price == 0 && c.server.DrivePrice == 0 {
		return
	}
	p.Price = c.demand.Fixed + float64(p.Nodes)*c.server.Price + float64(p.Drives)*c.server.DrivePrice
	p.PerInstance = p.Price / float64(c.demand.Instances)
	p.PerTerabyte = stats.Ratio(p.Price, p.Usable/terabyte)
}

// table applies the optimisation table of the source.
func (c *combination) table(p *Proposal) {
	advice, ok := Optimise(c.demand.Profile, c.needed)
	if !ok {
		c.fire("table", guide+"Table 1", "the table has no row for databases; the load line decides")
		return
	}
	p.Recommended = advice.Dense == c.server.Dense && advice.Dispersed == c.protection.Dispersed() && advice.RAID6 == (c.protection.RAIDParity > 0)
	p.HotTier = p.Recommended && advice.HotTier
	word := say.F("differs from")
	if p.Recommended {
		word = say.F("is")
	}
	c.fire("table", guide+"Table 1", "this %s the recommendation for %s at this size: %s", word, c.demand.Profile, advice)
}

// Advice is a cell of the optimisation table.
type Advice struct {
	Dense, Dispersed, RAID6, HotTier bool
}

// String writes the advice as the table does.
func (a Advice) String() string {
	text := say.F("standard servers")
	if a.Dense {
		text = say.F("dense servers")
	}
	if a.Dispersed {
		text += say.F(", dispersed")
	} else {
		text += say.F(", 2× replicated")
	}
	if a.RAID6 {
		text += say.F(", RAID 6")
	} else {
		text += say.F(", JBOD")
	}
	if a.HotTier {
		text += say.F(", one NVMe hot tier")
	}
	return text
}

// smallPool parts the two columns of the table, 250 TB and 1 PB, at their
// geometric mean.
const smallPool = 500 * terabyte

// Optimise is Table 1 of the source, "Gluster pool optimization criteria", for a pool that
// holds so many bytes. ok is false for databases, which the table does not cover.
func Optimise(profile string, bytes float64) (advice Advice, ok bool) {
	replicated := Advice{RAID6: true, HotTier: true}
	large := bytes >= smallPool
	switch profile {
	case profileSmallFiles:
		return replicated, true
	case profileLargeFiles:
		if large {
			return Advice{Dispersed: true}, true
		}
		return replicated, true
	case profileArchive:
		return Advice{Dispersed: true, Dense: large}, true
	}
	return Advice{}, false
}
