package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// Places of a panel, in pixels. The dashed line of each has the slope of linear growth.
const (
	panelWidth, panelHeight = 290, 190
	plotLeft, plotTop       = 52, 34
	plotWidth, plotHeight   = 210, 120
	perRow                  = 3
)

// drawn are the curves of all rows as an SVG, one panel each, both axes logarithmic.
func drawn(all []taken) string {
	var b strings.Builder
	panels := rows()
	height := (len(panels) + perRow - 1) / perRow * panelHeight
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="What Plimsoll takes by the number of instances; dashed: linear growth; red: the goal">`+"\n", perRow*panelWidth, height)
	b.WriteString(`<style>text{font:11px sans-serif;fill:#444}.t{font-weight:bold;fill:#222}.g{stroke:#ddd;fill:none}.l{stroke:#999;stroke-dasharray:3 3;fill:none}.m{stroke:#c62828;fill:none}.c{stroke:#3f51b5;stroke-width:2;fill:none}.p{fill:#3f51b5}</style>` + "\n")
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", perRow*panelWidth, height)
	for n, r := range panels {
		fmt.Fprintf(&b, `<g transform="translate(%d,%d)">`+"\n", n%perRow*panelWidth, n/perRow*panelHeight)
		newPanel(r, all).draw(&b)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// panel is one curve with the ranges of its axes, as powers of ten.
type panel struct {
	row
	x, y         []float64 // points, as powers of ten
	fromX, fromY float64
	decadesX     float64
	decadesY     float64
}

func newPanel(r row, all []taken) panel {
	p := panel{row: r}
	for _, t := range all {
		p.x = append(p.x, math.Log10(float64(t.instances)))
		p.y = append(p.y, math.Log10(max(r.of(t), 1e-6)))
	}
	low, high := p.y[0], p.y[0]
	for _, y := range p.y {
		low, high = min(low, y), max(high, y)
	}
	if r.limit > 0 {
		high = max(high, math.Log10(r.limit))
	}
	p.fromX, p.fromY = math.Floor(p.x[0]), math.Floor(low)
	p.decadesX = max(1, math.Ceil(p.x[len(p.x)-1])-p.fromX)
	p.decadesY = max(1, math.Ceil(high)-p.fromY)
	return p
}

// at is the place of a point.
func (p panel) at(x, y float64) string {
	return fmt.Sprintf("%.1f,%.1f", plotLeft+(x-p.fromX)/p.decadesX*plotWidth, plotTop+plotHeight-(y-p.fromY)/p.decadesY*plotHeight)
}

func (p panel) line(b *strings.Builder, class string, points ...string) {
	fmt.Fprintf(b, `<polyline class="%s" points="%s"/>`+"\n", class, strings.Join(points, " "))
}

func (p panel) draw(b *strings.Builder) {
	fmt.Fprintf(b, `<text class="t" x="8" y="18">%s (%s)</text>`+"\n", html.EscapeString(p.name), html.EscapeString(p.unit))
	endX, endY := p.fromX+p.decadesX, p.fromY+p.decadesY
	for y := p.fromY; y <= endY; y++ {
		p.line(b, "g", p.at(p.fromX, y), p.at(endX, y))
		fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", plotLeft-4, plotTop+plotHeight-(y-p.fromY)/p.decadesY*plotHeight+4, figure(math.Pow(10, y)))
	}
	for x := p.fromX; x <= endX; x++ {
		p.line(b, "g", p.at(x, p.fromY), p.at(x, endY))
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", plotLeft+(x-p.fromX)/p.decadesX*plotWidth, plotTop+plotHeight+16, figure(math.Pow(10, x)))
	}
	if p.limit > 0 {
		goal := math.Log10(p.limit)
		p.line(b, "m", p.at(p.fromX, goal), p.at(endX, goal))
	}
	if rise := min(endX-p.x[0], endY-p.y[0]); rise > 0 { // linear growth from the first point on
		p.line(b, "l", p.at(p.x[0], p.y[0]), p.at(p.x[0]+rise, p.y[0]+rise))
	}
	var points []string
	for i := range p.x {
		points = append(points, p.at(p.x[i], p.y[i]))
	}
	p.line(b, "c", points...)
	for i := range p.x {
		x, y, _ := strings.Cut(points[i], ",")
		fmt.Fprintf(b, `<circle class="p" cx="%s" cy="%s" r="3"/>`+"\n", x, y)
	}
}
