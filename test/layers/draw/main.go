// Command draw writes the picture of the halls below internal/ and of what imports what,
// as it is in the code, to standard output as SVG. Halls stand as high as the longest chain
// of imports below them; an arrow that follows from others is left out.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"plimsoll/test/layers"
)

// graph is what each hall imports.
type graph map[string][]string

func main() {
	packages, err := layers.Packages()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(draw(graphOf(packages)))
}

func graphOf(packages []layers.Package) graph {
	g := graph{}
	for _, p := range packages {
		from := layers.HallOf(p.ImportPath)
		if from == "" {
			continue
		}
		g[from] = append(g[from], []string{}...)
		for _, path := range p.Imports {
			if to := layers.HallOf(path); to != "" && to != from && !slices.Contains(g[from], to) {
				g[from] = append(g[from], to)
			}
		}
	}
	return g
}

// floor is 0 for a hall that imports none.
func (g graph) floor(hall string) int {
	floor := 0
	for _, below := range g[hall] {
		floor = max(floor, 1+g.floor(below))
	}
	return floor
}

// reaches reports whether a hall imports another, by way of others too.
func (g graph) reaches(from, to string) bool {
	return slices.ContainsFunc(g[from], func(next string) bool { return next == to || g.reaches(next, to) })
}

// direct are the imports of a hall that do not follow from its others.
func (g graph) direct(hall string) (all []string) {
	for _, to := range g[hall] {
		if !slices.ContainsFunc(g[hall], func(other string) bool { return g.reaches(other, to) }) {
			all = append(all, to)
		}
	}
	slices.Sort(all)
	return all
}

// Sizes of the picture, in pixels.
const (
	width, rowHeight = 900, 92
	boxWidth         = 168
	boxHeight        = 48
	margin           = 16
)

// place is the upper left corner of a box.
type place struct{ x, y int }

func (g graph) places() (all map[string]place, height int) {
	rows := map[int][]string{}
	top := 0
	for _, h := range layers.Halls {
		f := g.floor(h.Name)
		rows[f], top = append(rows[f], h.Name), max(top, f)
	}
	all = map[string]place{}
	for f, row := range rows {
		for n, name := range row {
			x := width*(2*n+1)/(2*len(row)) - boxWidth/2
			all[name] = place{x, margin + (top-f)*rowHeight}
		}
	}
	return all, 2*margin + top*rowHeight + boxHeight
}

const style = `<style>
text { font: 13px sans-serif; fill: #1f2328 } .purpose { font-size: 12px; fill: #59636e }
rect { fill: #f6f8fa; stroke: #818b98 } path { fill: none; stroke: #818b98 } marker path { fill: #818b98 }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc } .purpose { fill: #9198a1 } rect { fill: #151b23; stroke: #656c76 } path { stroke: #656c76 } marker path { fill: #656c76 } }
</style>
<defs><marker id="head" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0 6 3 0 6z"/></marker></defs>
`

func draw(g graph) string {
	var out strings.Builder
	at, height := g.places()
	fmt.Fprintf(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Halls of the code and what they import\">\n%s", width, height, style)
	for _, h := range layers.Halls {
		from := at[h.Name]
		for _, to := range g.direct(h.Name) {
			x1, y1, x2, y2 := from.x+boxWidth/2, from.y+boxHeight, at[to].x+boxWidth/2, at[to].y
			fmt.Fprintf(&out, "<path d=\"M%d %dC%d %d %d %d %d %d\" marker-end=\"url(#head)\"/>\n", x1, y1, x1, y1+30, x2, y2-30, x2, y2)
		}
	}
	for _, h := range layers.Halls {
		p := at[h.Name]
		fmt.Fprintf(&out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n", p.x, p.y, boxWidth, boxHeight)
		fmt.Fprintf(&out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", p.x+boxWidth/2, p.y+20, h.Name)
		fmt.Fprintf(&out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" class=\"purpose\">%s</text>\n", p.x+boxWidth/2, p.y+38, h.Purpose)
	}
	out.WriteString("</svg>\n")
	return out.String()
}
