package report

import (
	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/answer"
	"plimsoll/internal/analysis/iopath"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/text/words"
)

// writePaths writes how requests change from the application to the disks, at the rung where the
// line of each variant ends.
func writePaths(l *lines, a *analysis.Analysis) {
	for _, v := range a.Variants {
		r := loadline.Limiting(v.Rungs, v.LoadLine)
		if r == nil || r.IO == nil {
			continue
		}
		l.gap()
		l.paragraph(dim, "Requests by layer with "+variantTitle(v)+", at "+words.Count(r.Instances, a.Study.Noun))
		if r.IO.Text != "" {
			l.paragraph("", r.IO.Text)
		}
		l.table(pathGrid(v, r.IO))
	}
}

// pathGrid has a row for the reads and one for the writes of each layer.
func pathGrid(v analysis.Variant, b *iopath.Path) grid {
	g := newGrid("ll", "layer", "", "per "+v.Work.Unit.Name, "size", "bytes", "× bytes", "merged", "sequential")
	g.drop = []string{"merged", "bytes"}
	for _, f := range b.Flows() {
		row := []string{answer.LayerText(f.Layer), f.Direction, "", "", answer.RequestSize(f.BytesPerUnit), "", shareText(f.Merged), shareText(f.Sequential)}
		if f.PerUnit > 0 {
			row[2], row[3] = words.Figures(f.PerUnit), answer.RequestSize(f.Bytes)
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
