package report

import (
	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/text/words"
)

// writePaths writes how requests change from the application to the disks.
func writePaths(l *lines, a *analysis.Analysis) {
	for _, g := range pathTables(a) {
		l.gap()
		l.paragraph(dim, "Requests by layer with "+g.title)
		l.paragraph("", g.text)
		l.table(g)
	}
}

const pathsNote = "How requests for data change on their way. Sequential ones begin where an earlier one ended; × bytes is against what the workload asks for, or else against what its servers move past the page cache."

// pathTables are of the rung where the line of each variant ends.
func pathTables(a *analysis.Analysis) (all []grid) {
	for _, v := range a.Variants {
		for _, r := range limitingRung(v) {
			if r.IO != nil {
				all = append(all, pathGrid(a, v, r))
			}
		}
	}
	return all
}

// pathGrid has a row for the reads and one for the writes of each layer.
func pathGrid(a *analysis.Analysis, v analysis.Variant, r rung.Rung) grid {
	g := newGrid("ll", "layer", "", "per "+v.Work.Unit.Name, "size", "bytes", "× bytes", "merged", "sequential")
	g.title, g.text, g.drop = rungTitle(a, v, r), r.IO.Text, []string{"merged", "bytes"}
	for _, f := range r.IO.Flows() {
		row := []string{say.LayerText(f.Layer), f.Direction, "", "", say.RequestSize(f.BytesPerUnit), "", shareText(f.Merged), shareText(f.Sequential)}
		if f.PerUnit > 0 {
			row[2], row[3] = words.Figures(f.PerUnit), say.RequestSize(f.Bytes)
		}
		if f.Amplification > 0 {
			row[5] = words.Figures(f.Amplification)
		}
		g.add(row...)
	}
	return g
}

// shareText is a share that may not be known.
func shareText(share *float64) string {
	if share == nil {
		return ""
	}
	return words.Percent(*share)
}
