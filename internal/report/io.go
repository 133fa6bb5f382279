package report

import (
	"slices"
	"strconv"

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
		l.table(pathGrid(v, r.IO), "merged", "bytes")
	}
}

// pathGrid has a row for the reads and one for the writes of each layer.
func pathGrid(v analysis.Variant, b *iopath.Path) grid {
	g := grid{left: []bool{true, true}}
	for _, head := range []string{"layer", "", "per " + v.Work.Unit.Name, "size", "bytes", "× bytes", "merged", "sequential"} {
		g.head = append(g.head, cell{text: head})
	}
	for _, f := range flowsOf(b) {
		texts := []string{answer.LayerText(f.layer), f.direction, "", "", answer.RequestSize(f.flow.BytesPerUnit), "", shareText(f.flow.Merged), shareText(f.flow.Sequential)}
		if f.flow.PerUnit > 0 {
			texts[2], texts[3] = words.Figures(f.flow.PerUnit), answer.RequestSize(f.flow.Bytes)
		}
		if f.flow.Amplification > 0 {
			texts[5] = words.Figures(f.flow.Amplification)
		}
		var row []cell
		for _, text := range texts {
			row = append(row, cell{text: text})
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// layerFlow is a flow with what it is of.
type layerFlow struct {
	layer     iopath.Layer
	direction string
	flow      *iopath.Flow
}

func flowsOf(b *iopath.Path) (all []layerFlow) {
	for _, l := range b.Layers {
		if l.Reads != nil {
			all = append(all, layerFlow{l, "reads", l.Reads})
		}
		if l.Writes != nil {
			all = append(all, layerFlow{l, "writes", l.Writes})
		}
	}
	return all
}

// shareText is a share that may not be known.
func shareText(share *float64) string {
	if share == nil {
		return ""
	}
	return words.Percent(*share)
}

// pathRows is the table of requests by layer.
func pathRows(a *analysis.Analysis) [][]string {
	rows := [][]string{{"study", "variant", "instances", "layer", "of", "direction", "per_unit", "bytes", "bytes_per_unit", "amplification", "merged", "sequential"}}
	for _, v := range a.Variants {
		for _, r := range v.Rungs {
			if r.IO == nil {
				continue
			}
			for _, f := range flowsOf(r.IO) {
				rows = append(rows, slices.Concat(
					[]string{a.Study.Name, v.Name, strconv.Itoa(r.Instances), string(f.layer.Kind), f.layer.Of, f.direction},
					[]string{knownField(f.flow.PerUnit), knownField(f.flow.Bytes), field(f.flow.BytesPerUnit), knownField(f.flow.Amplification)},
					[]string{shareField(f.flow.Merged), shareField(f.flow.Sequential)}))
			}
		}
	}
	return rows
}

// shareField is a share; empty where it is not known.
func shareField(share *float64) string {
	if share == nil {
		return ""
	}
	return field(*share)
}
