package sizing

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe/protection"
	"plimsoll/internal/text/unit"
)

func scheme(t *testing.T, text string) protection.Scheme {
	t.Helper()
	p, err := protection.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The example of the source: six servers of twelve 6 TB drives give 108 TB
// more as 4+2 on JBOD than as two copies on RAID 6.
func TestCapacityExampleOfTheSource(t *testing.T) {
	raw := 72 * 6e12
	dispersed := scheme(t, "disperse 4+2 on JBOD").Usable(raw)
	replicated := scheme(t, "replica 2 on RAID 10+2").Usable(raw)
	for what, got := range map[float64]float64{288: dispersed / 1e12, 180: replicated / 1e12, 108: (dispersed - replicated) / 1e12} {
		if math.Abs(got-what) > 1e-9 {
			t.Errorf("%v TB, want %v", got, what)
		}
	}
}

func TestOptimisationTableOfTheSource(t *testing.T) {
	small, medium := 250*terabyte, 1000*terabyte
	for _, c := range []struct {
		profile string
		bytes   float64
		want    string
	}{
		{profileSmallFiles, small, "standard servers, 2× replicated, RAID 6, one NVMe hot tier"},
		{profileSmallFiles, medium, "standard servers, 2× replicated, RAID 6, one NVMe hot tier"},
		{profileLargeFiles, small, "standard servers, 2× replicated, RAID 6, one NVMe hot tier"},
		{profileLargeFiles, medium, "standard servers, dispersed, JBOD"},
		{profileArchive, small, "standard servers, dispersed, JBOD"},
		{profileArchive, medium, "dense servers, dispersed, JBOD"},
	} {
		got, ok := Optimise(c.profile, c.bytes)
		if !ok || got.String() != c.want {
			t.Errorf("%s at %s: %s", c.profile, terabytes(c.bytes), got)
		}
	}
	if _, ok := Optimise(profileDatabase, small); ok {
		t.Error("the table speaks of databases")
	}
}

func sized(t *testing.T, d *Demand, bases ...Basis) *Sizing {
	t.Helper()
	s, err := Size(d, bases)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(s); err != nil {
		t.Fatal(err)
	}
	for _, text := range s.Text {
		t.Log(text)
	}
	return s
}

func TestSizeAppliesTheRules(t *testing.T) {
	for _, c := range []struct {
		name       string
		demand     Demand
		basis      []Basis
		server     string
		protection string
		nodes      int
		rule       string // that fired, or forbade
	}{
		{"minimum of four", Demand{Instances: 1, Capacity: 1e12, Profile: profileSmallFiles}, nil, "standard", "replica 2 on RAID 10+2", 4, "minimum"},
		{"minimum of six", Demand{Instances: 1, Capacity: 1e12, Profile: profileArchive}, nil, "standard", "disperse 4+2 on JBOD", 6, "minimum"},
		{"capacity", Demand{Instances: 10, Capacity: 24e12, Profile: profileSmallFiles, Fill: 1}, nil, "standard", "replica 2 on RAID 10+2", 8, "capacity"},
		{"growth", Demand{Instances: 10, Capacity: 12e12, Profile: profileSmallFiles, Growth: 1, Years: 1, Fill: 1}, nil, "standard", "replica 2 on RAID 10+2", 8, "growth"},
		{"whole sets", Demand{Instances: 10, Capacity: 35e12, Profile: profileLargeFiles, Fill: 1}, nil, "standard", "disperse 4+2 on JBOD", 12, "set"},
		{"fault domain", Demand{Instances: 1, Capacity: 600e12, Fill: 1, Profile: profileSmallFiles, Servers: []ServerModel{{Name: "huge", Drives: 36, Drive: 10e12}}}, nil, "huge", "replica 2 on RAID 10+2", 6, "fault-domain"},
		{"fault domain relaxed", Demand{Instances: 1, Capacity: 600e12, Fill: 1, Profile: profileSmallFiles, Pilot: true, Servers: []ServerModel{{Name: "huge", Drives: 36, Drive: 10e12}}}, nil, "huge", "replica 2 on RAID 10+2", 4, "fault-domain"},
		{"performance", Demand{Instances: 100, Capacity: 1e9, Profile: profileDatabase}, []Basis{{Name: "b", Nodes: 3, LoadLine: stats.Interval{Value: 30, Low: 30, High: 30}, Limiting: "device"}}, "standard", "replica 2 on RAID 10+2", 14, "performance"},
		{"performance is there", Demand{Instances: 20, Capacity: 1e9, Profile: profileDatabase}, []Basis{{Name: "b", Nodes: 4, LoadLine: stats.Interval{Value: 30, Low: 25, High: 35}}}, "standard", "replica 2 on RAID 10+2", 4, "performance"},
		{"dense is for a petabyte", Demand{Instances: 1, Capacity: 1e12, Profile: profileArchive}, nil, "dense", "disperse 4+2 on JBOD", 0, "dense"},
		{"survive", Demand{Instances: 1, Capacity: 1e12, Profile: profileArchive, Survive: 2}, nil, "standard", "replica 2 on RAID 10+2", 0, "survive"},
		{"whole RAID sets", Demand{Instances: 1, Capacity: 1e12, Profile: profileArchive, Servers: []ServerModel{{Name: "ten", Drives: 10, Drive: 1e12}}}, nil, "ten", "replica 2 on RAID 10+2", 0, "raid"},
		{"more nodes do not help a busy application", Demand{Instances: 100, Capacity: 1e9, Profile: profileDatabase}, []Basis{{Name: "b", Nodes: 3, LoadLine: stats.Interval{Value: 30, Low: 30, High: 30}, Limiting: "cpu"}}, "standard", "replica 2 on RAID 10+2", 0, "performance"},
		{"more than the largest pool carries", Demand{Instances: 5000, Capacity: 1e9, Profile: profileDatabase}, []Basis{{Name: "b", Nodes: 3, LoadLine: stats.Interval{Value: 30, Low: 30, High: 30}, Limiting: "device"}}, "standard", "replica 2 on RAID 10+2", 0, "performance"},
		{"fill ceiling", Demand{Instances: 10, Capacity: 24e12, Profile: profileSmallFiles}, nil, "standard", "replica 2 on RAID 10+2", 10, "fill"},
		{"what a failure leaves", Demand{Instances: 10, Capacity: 24e12, Profile: profileSmallFiles, Survive: 1}, nil, "standard", "replica 2 on RAID 10+2", 10, "failure"},
		{"a line of SSDs for hard disks", Demand{Instances: 20, Capacity: 1e9, Profile: profileDatabase}, []Basis{{Name: "b", Nodes: 4, Media: "ssd", LoadLine: stats.Interval{Value: 30, Low: 25, High: 35}}}, "standard", "replica 2 on RAID 10+2", 0, "media"},
		{"a line of hard disks for SSDs", Demand{Instances: 20, Capacity: 1e9, Profile: profileDatabase, Servers: []ServerModel{{Name: "flash", Drives: 12, Drive: 4e12, Media: "ssd"}}}, []Basis{{Name: "b", Nodes: 4, Media: "hdd", LoadLine: stats.Interval{Value: 30, Low: 25, High: 35}}}, "flash", "replica 2 on RAID 10+2", 4, "media"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sized(t, &c.demand, c.basis...)
			if c.nodes == 0 {
				for _, r := range s.Rejected {
					if r.Server == c.server && r.Protection == c.protection && r.Rule.Rule == c.rule {
						return
					}
				}
				t.Fatalf("not rejected by %s: %+v", c.rule, s.Rejected)
			}
			for _, p := range s.Proposals {
				if p.Server == c.server && p.Protection == c.protection {
					if p.Nodes != c.nodes || !fired(p.Rules, c.rule) {
						t.Fatalf("%d nodes by %+v", p.Nodes, p.Rules)
					}
					return
				}
			}
			t.Fatalf("no such proposal: %+v, %+v", s.Proposals, s.Rejected)
		})
	}
}

func fired(rules []FiredRule, name string) bool {
	for _, r := range rules {
		if r.Rule == name && r.Text != "" && r.Source != "" {
			return true
		}
	}
	return false
}

func TestSizeRecommendsWhatTheTableNames(t *testing.T) {
	archive := sized(t, &Demand{Instances: 100, Capacity: 10e12, Profile: profileArchive})
	if p := archive.Proposals[0]; p.Server != "dense" || !strings.HasPrefix(p.Protection, "disperse") || !p.Recommended {
		t.Errorf("archive at 1 PB: %+v", p)
	}
	small := sized(t, &Demand{Instances: 25, Capacity: 10e12, Profile: profileSmallFiles})
	if p := small.Proposals[0]; p.Server != "standard" || !strings.HasPrefix(p.Protection, "replica 2") || !p.HotTier {
		t.Errorf("small files at 250 TB: %+v", p)
	}
}

func TestSizeKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := Demand{
			Instances: rapid.IntRange(1, 2000).Draw(r, "instances"), Capacity: unit.Bytes(rapid.Int64Range(1e9, 5e12).Draw(r, "capacity")),
			Profile: rapid.SampledFrom([]string{profileDatabase, profileSmallFiles, profileLargeFiles, profileArchive}).Draw(r, "profile"),
			Growth:  Share(rapid.Float64Range(0, 1).Draw(r, "growth")), Years: rapid.Float64Range(0.1, 5).Draw(r, "years"), Survive: rapid.IntRange(0, 2).Draw(r, "survive"),
		}
		line := float64(rapid.IntRange(1, 500).Draw(r, "line"))
		basis := Basis{Name: "b", Nodes: rapid.IntRange(1, 12).Draw(r, "nodes"), LoadLine: stats.Interval{Value: line, Low: math.Floor(line * 0.9), High: line * 1.1, Confidence: 0.95}}
		s, err := Size(&d, []Basis{basis})
		if err != nil {
			r.Fatal(err)
		}
		for _, p := range s.Proposals {
			raw := float64(p.Nodes) * 72e12
			switch {
			case p.Usable*usualFill < s.Needed*(1-1e-9), p.Left > p.Usable:
				r.Fatalf("%v usable, %v needed", p.Usable, s.Needed)
			case p.LoadLine.Low < float64(d.Instances):
				r.Fatalf("%v carried, %d asked", p.LoadLine, d.Instances)
			case p.Nodes > maxNodes || p.Nodes < 4:
				r.Fatalf("%d nodes", p.Nodes)
			case raw > petabyte && 1/float64(p.Nodes) >= largestShare:
				r.Fatalf("%d nodes above a petabyte", p.Nodes)
			case p.Degraded.Value > p.LoadLine.Value:
				r.Fatalf("degraded %v above %v", p.Degraded, p.LoadLine)
			}
		}
	})
}

func TestSizeFromPublishedResultsNeedsALoadLine(t *testing.T) {
	a := &analysis.Analysis{Variants: []analysis.Variant{{Name: "a"}}}
	if _, err := BasisFrom(a, BasisOf{Variant: "a", Nodes: 3}); err == nil {
		t.Error("a variant that carries nothing became a basis")
	}
	if _, err := BasisFrom(a, BasisOf{Variant: "b", Nodes: 3}); err == nil || !strings.Contains(err.Error(), "a") {
		t.Errorf("%v", err)
	}
}

const goodDemand = `demand: shops
instances: 100
profile: database
capacity: 15GB
growth: 20%
years: 3
survive: 1
currency: USD
servers: [{name: standard, drives: 12, drive: 10TB, price: 23174, drive_price: 366}]
basis: [{of: reference/cns-ds3, variant: hdd, nodes: 3}]
`

func TestParseDemand(t *testing.T) {
	d, err := ParseDemand("d.yaml", []byte(goodDemand))
	if err != nil {
		t.Fatal(err)
	}
	if d.Growth != 0.2 || d.Servers[0].Drive != 10e12 || d.Basis[0].Nodes != 3 {
		t.Errorf("%+v", d)
	}
	bad := strings.NewReplacer("100", "0", "database", "coffee", "15GB", "0", "price: 23174", "price: -1", "nodes: 3", "nodes: 0").Replace(goodDemand)
	_, err = ParseDemand("d.yaml", []byte(bad))
	if err == nil {
		t.Fatal("accepted")
	}
	for _, field := range []string{"instances", "profile", "capacity", "servers[0]", "basis[0]"} {
		if !strings.Contains(err.Error(), field) {
			t.Errorf("%q does not speak of %s", err, field)
		}
	}
}

// Numbers beyond what anybody buys are refused before they overflow, however they are
// written; large ones are not.
func TestDemandsBeyondArithmetic(t *testing.T) {
	for _, c := range []struct{ old, new, say string }{
		{"instances: 100", "instances: 9223372036854775807", "instances: "},
		{"instances: 100", "instances: 99999999999999999999", "instances"},
		{"instances: 100", "instances: -1", "instances: -1"},
		{"instances: 100", "instances: 1e308", "instances"},
		{"growth: 20%\nyears: 3", "growth: 1000%\nyears: 50", "capacity: "},
		{"years: 3", "years: .nan", "years"},
		{"years: 3", "years: .inf", "years"},
		{"growth: 20%", "growth: 1e308%", "growth"},
		{"price: 23174", "price: 1e308", "servers[0]: price"},
		{"drive_price: 366", "drive_price: .nan", "drive_price"},
		{"drives: 12", "drives: 2147483647", "servers[0]"},
		{"currency: USD", "currency: USD\nfixed_price: 1e300", "fixed_price"},
		{"currency: USD", "currency: USD\nfill: 0.0000000000000001%", "fill"},
		{"nodes: 3", "nodes: 9223372036854775807", "basis[0]"},
	} {
		text := strings.Replace(goodDemand, c.old, c.new, 1)
		if _, err := ParseDemand("d.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v", c.new, err)
		}
	}
	d, err := ParseDemand("d.yaml", []byte(strings.NewReplacer("drive: 10TB", "drive: 1B", "instances: 100", "instances: 1000000").Replace(goodDemand)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Size(d, nil)
	if err != nil || s.Met() || !strings.Contains(fmt.Sprint(s.Rejected), "more than 2,147,483,647 servers") {
		t.Errorf("%v, %v", s, err)
	}
}

// What a demand must not leave to guessing, each with the words that say so.
func TestDemandsThatWouldMislead(t *testing.T) {
	for _, c := range []struct{ old, new, say string }{
		{"years: 3", "", "growth: 20% a year, and years is missing"},
		{"currency: USD", "currency: banana", "currency: \"banana\" is none"},
		{"currency: USD", "currency: usd", "currency: \"usd\" is none"},
		{"currency: USD", "currency: XYZ", "currency: \"XYZ\" is none"},
		{"currency: USD", "", "currency: missing, and there are prices"},
		{"currency: USD", "currency: USD\nfill: 120%", "fill: 120%"},
		{"drives: 12", "drives: 12, media: tape", "media: \"tape\""},
	} {
		_, err := ParseDemand("d.yaml", []byte(strings.Replace(goodDemand, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s instead of %s: %v", c.new, c.old, err)
		}
	}
}

// No text names a number of servers that nobody worked out.
func TestOutOfReachIsSaidInWords(t *testing.T) {
	s := sized(t, &Demand{Instances: 5000, Capacity: 1e9, Profile: profileDatabase, Servers: []ServerModel{{Name: "s", Drives: 12, Drive: 6e12, Media: "hdd"}}},
		Basis{Name: "b", Nodes: 3, Media: "hdd", LoadLine: stats.Interval{Value: 30, Low: 30, High: 30}, Limiting: "device"})
	const want = "b carries 30 on 3 nodes; the 128 nodes of the largest pool would carry 1,280 (604–1,280), and 5000 are required"
	if len(s.Proposals) > 0 || s.Rejected[0].Rule.Text != want {
		t.Errorf("%+v", s.Rejected)
	}
}

// A line carried over to drives of an unknown kind is a caution.
func TestUnknownMediaAreWarnedOf(t *testing.T) {
	s := sized(t, &Demand{Instances: 20, Capacity: 1e9, Profile: profileDatabase, Servers: []ServerModel{{Name: "s", Drives: 12, Drive: 6e12}}},
		Basis{Name: "b", Nodes: 4, Media: "ssd", LoadLine: stats.Interval{Value: 30, Low: 25, High: 35}})
	const want = "b was measured on solid-state drives and s servers have a medium not named in the demand (media: hdd, ssd or nvme), assumed to be as fast"
	if len(s.Warnings) != 2 || s.Warnings[0].Text != want || len(s.Proposals) == 0 {
		t.Errorf("%+v", s.Warnings)
	}
}

// What a reader would ask of a proposal is answered with it.
func TestProposalsAreSaidWhole(t *testing.T) {
	line := stats.Interval{Value: 128, Low: 128, High: 128}
	d := &Demand{Instances: 160, Capacity: 1e9, Profile: profileDatabase, Survive: 2}
	s := sized(t, d, Basis{Name: "b", Nodes: 3, LoadLine: line, Open: true, Media: "hdd"})
	all := strings.Join(s.Text, "\n")
	for _, w := range s.Warnings {
		all += "\n" + w.Text
	}
	for _, want := range []string{
		"carries at least 222 instances; without 2 servers: all data stay accessible, but no complete set of servers is left",
		", carries at least 161 instances",
		"less than 0.1 % full: the number of servers is needed, the room is not",
		"the demand names no servers, so the models of the source are taken: standard (12 hard disks of 6TB) and dense (24 hard disks of 6TB)",
		"the demand gives no price of standard and dense",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in\n%s", want, all)
		}
	}
	if strings.Contains(all, "0 B") || strings.Contains(all, "–") {
		t.Error(all)
	}
	d.Servers, d.Currency = []ServerModel{{Name: "s", Drives: 12, Drive: 1e10, Price: 1, Media: "hdd"}}, "EUR"
	if s = sized(t, d); len(s.Warnings) != 1 || strings.Contains(s.Text[0], "the room is not") {
		t.Errorf("%+v, %s", s.Warnings, s.Text)
	}
}

func FuzzParseDemand(f *testing.F) {
	f.Add([]byte(goodDemand))
	f.Add([]byte("instances: 1e9\nprofile: archive\ncapacity: 99999999TB\ngrowth: 1000%\nyears: 50"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ParseDemand("d.yaml", data)
		if err != nil {
			return
		}
		s, err := Size(d, nil)
		if err != nil {
			return
		}
		if _, err := json.Marshal(s); err != nil {
			t.Errorf("%v from %q", err, data)
		}
	})
}

// A size from a line that every rung kept has no upper end, however many nodes.
func TestAnOpenLineGivesAnOpenSize(t *testing.T) {
	line := stats.Interval{Value: 30, Low: 30, High: 30, Confidence: 0.95}
	for _, open := range []bool{true, false} {
		b := Basis{Name: "b", Nodes: 3, LoadLine: line, Open: open, Limiting: "device"}
		for _, nodes := range []int{2, 3, 6} {
			if got := b.carries(nodes); math.IsInf(got.High, 1) != open || got.Low > got.Value {
				t.Errorf("open %v, %d nodes: %+v", open, nodes, got)
			}
		}
	}
}

// Where nothing limited a line, that more nodes raise it is assumed, and told first; where the
// storage did, or the demand needs no more nodes than were measured, nothing is assumed.
func TestWhatNothingLimitsIsAssumedFirst(t *testing.T) {
	line := stats.Interval{Value: 30, Low: 30, High: 30}
	for _, c := range []struct {
		limiting  resource.Kind
		instances int
		assumed   bool
	}{{"", 64, true}, {resource.Device, 64, false}, {"", 20, false}} {
		d := &Demand{Instances: c.instances, Capacity: 1e9, Profile: profileDatabase}
		s, err := Size(d, []Basis{{Name: "b", Nodes: 3, LoadLine: line, Limiting: c.limiting}})
		if err != nil || len(s.Proposals) == 0 {
			t.Fatalf("%v: %+v", err, s)
		}
		first := strings.HasPrefix(s.Text[0], "This assumes that more nodes raise the load line of b")
		warned := slices.ContainsFunc(s.Warnings, func(w trust.Warning) bool { return w.Kind == "limit" })
		if first != c.assumed || warned != c.assumed {
			t.Errorf("%+v: %v, %+v", c, s.Text, s.Warnings)
		}
	}
}

// A client's network limits the line but not the storage, since it is not part of it.
func TestAClientsNetworkIsNoStorage(t *testing.T) {
	b := Basis{Nodes: 3, Limiting: resource.Network, Elsewhere: true}
	if b.storageBound() || !(Basis{Limiting: resource.Network}).storageBound() || !(Basis{}).storageBound() {
		t.Error("whose network it is decides")
	}
}
