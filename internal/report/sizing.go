package report

import (
	"fmt"
	"io"
	"slices"

	"plimsoll/internal/analysis/sizing"
	"plimsoll/internal/text/words"
)

// Sizing writes what configurations meet a demand, best first, and which rules
// shaped the best. width is the terminal's in columns (0 when not known).
func Sizing(w io.Writer, s *sizing.Sizing, width int) error {
	l := &lines{width: clampWidth(width)}
	for _, text := range s.Text {
		l.paragraph("", text)
	}
	if len(s.Proposals) > 0 {
		l.gap()
		l.table(priced(proposalGrid(s), s))
		p := s.Proposals[0]
		l.heading(fmt.Sprintf("Why %d × %s, %s", p.Nodes, p.Server, p.Protection))
		writeRules(l, p.Rules)
	}
	if len(s.Stores) > 0 {
		l.gap()
		l.table(storeGrid(s))
		for _, store := range s.Stores {
			l.heading("Why, from " + store.Basis)
			writeRules(l, store.Rules)
		}
	}
	if len(s.Rejected) > 0 {
		l.heading("Not proposed")
		for _, r := range s.Rejected {
			l.item("", "✗", r.Server+", "+r.Protection+": "+r.Rule.Text+" ("+r.Rule.Source+")")
		}
	}
	for _, warning := range s.Warnings {
		l.item("", string(warning.Severity)+":", warning.Text)
	}
	return l.flush(w)
}

func proposalGrid(s *sizing.Sizing) grid {
	g := newGrid("llrrrrrrl", "server", "protection", "nodes", "drives", "usable TB", "load line", "price", "an instance", "")
	g.drop = []string{"", "an instance", "drives", "usable TB", "price"}
	for _, p := range s.Proposals {
		g.add(proposalRow(p, s.Demand.Currency)...)
	}
	return g
}

// priced leaves out the prices where there are none; a note says why.
func priced(g grid, s *sizing.Sizing) grid {
	if slices.ContainsFunc(s.Proposals, func(p sizing.Proposal) bool { return p.Price > 0 }) {
		return g
	}
	return g.dropped("price").dropped("an instance")
}

func proposalRow(p sizing.Proposal, currency string) []string {
	line, note := "", ""
	if p.LoadLine != nil {
		line = sizing.LineText(*p.LoadLine)
	}
	if p.Recommended {
		note = "as the source recommends"
	}
	if p.HotTier {
		note += " +NVMe hot tier"
	}
	money := func(v float64) string {
		return numberOrMissing(v, func(v float64) string { return words.Number(v) + " " + currency })
	}
	return []string{p.Server, p.Protection, fmt.Sprint(p.Nodes), fmt.Sprint(p.Drives),
		words.Number(p.Usable / 1e12), line, money(p.Price), money(p.PerInstance), note}
}

// storeGrid has a row for each basis of a demand for users.
func storeGrid(s *sizing.Sizing) grid {
	g := newGrid("lrrrrl", "basis", "measured on", "load line", "needed", "without loss", "carry")
	g.drop = []string{"measured on"}
	for _, store := range s.Stores {
		count, least, carries := "–", "–", ""
		if store.Carries != nil {
			count, least, carries = words.Count(store.Count, store.Unit), fmt.Sprint(store.Least), sizing.LineText(*store.Carries)
		}
		g.add(store.Basis, words.Count(store.Measured, store.Unit), store.Line, count, least, carries)
	}
	return g
}

// writeRules explains a proposal.
func writeRules(l *lines, rules []sizing.FiredRule) {
	for _, r := range rules {
		l.item("", "•", r.Text+" ("+r.Source+")")
	}
}
