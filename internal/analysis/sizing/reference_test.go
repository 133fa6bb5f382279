package sizing_test

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/sizing"
	"plimsoll/reference"
)

// The demand of docs/analysis.md, sized from the published results.
func TestSizeFromPublishedResults(t *testing.T) {
	d, err := sizing.ParseDemand("demand.yaml", []byte(`
demand: shop databases
instances: 100
profile: database
capacity: 15GB
growth: 20%
years: 3
survive: 1
currency: USD
servers:
  - {name: standard, drives: 12, drive: 10TB, price: 23174, drive_price: 366}
protections: [replica 2 on RAID 10+2, disperse 4+2 on JBOD]
basis:
  - {of: reference/cns-ds2, variant: hdd-16, nodes: 3}
`))
	if err != nil {
		t.Fatal(err)
	}
	run, err := reference.Open(strings.TrimPrefix(d.Basis[0].Of, "reference/"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := analysis.Analyse(run, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	basis, err := sizing.BasisFrom(a, d.Basis[0])
	if err != nil {
		t.Fatal(err)
	}
	s, err := sizing.Size(d, []sizing.Basis{basis})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range s.Text {
		t.Log(text)
	}
	for _, p := range s.Proposals {
		for _, rule := range p.Rules {
			t.Log(rule.Rule, rule.Text, "—", rule.Source)
		}
	}
	// 3 nodes carry 32, where throughput stops growing: 13 carry 32 * (13/3)^0.8 = 103 at least, and come in pairs.
	if len(s.Proposals) != 2 || s.Proposals[0].Nodes != 14 || s.Proposals[0].Price != 14*23174+168*366 {
		t.Errorf("%+v", s.Proposals)
	}
}
