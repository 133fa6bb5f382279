package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/text/words"
)

// Measures of the card in pixels, and how many characters of running text fit into its width.
const (
	cardWidth  = 800
	cardMargin = 28
	cardLeft   = 210 // where the axis begins
	cardRight  = 610 // and where it ends
	cardRow    = 34
	cardColumn = 88 // characters
	cardRows   = 8  // variants that have a row
)

// cardStyle has the colours, which follow the reader's.
const cardStyle = `
text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:#1b2733;font-size:14px}
.paper{fill:#fff;stroke:#d5dbe1}.title{font-size:20px;font-weight:600}.answer{font-size:16px;font-weight:600}
.quiet{fill:#5a6876;font-size:13px}.grade{font-size:30px;font-weight:700}.axis{stroke:#c3cbd3}.line{fill:#0b6aa2}.open{fill:#0b6aa2;fill-opacity:.35}
.box{fill:none;stroke:#5a6876}
@media(prefers-color-scheme:dark){text{fill:#e6ebf0}.paper{fill:#161c22;stroke:#2d3741}.quiet{fill:#9fb0bf}.axis{stroke:#465463}.line{fill:#5cb8ef}.open{fill:#5cb8ef}.box{stroke:#9fb0bf}}
`

// Card writes the decision card as SVG: the study, its question and answer, the grade, and each
// variant's load line on one axis or, where no objective was set, its best throughput.
func Card(w io.Writer, a *analysis.Analysis) error {
	a = bestFirst(a)
	c := &card{labels: labelsOf(a), y: cardMargin}
	c.head(a)
	c.lines(a)
	c.foot(a)
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">
<title>%s</title><style>%s</style>
<rect class="paper" x="0.5" y="0.5" width="%d" height="%d" rx="8"/>
%s</svg>
`, cardWidth, c.y, cardWidth, c.y, escaped(Plain(labelled(cmp.Or(a.Headline, noVerdict), c.labels))), cardStyle, cardWidth-1, c.y-1, c.b.String())
	return err
}

// card collects the elements of a card from top to bottom.
type card struct {
	labels map[string]string
	b      strings.Builder
	y      int // where the next element goes
}

// escaped is text as XML has it, without characters that XML cannot hold.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // into memory, which does not fail
	return b.String()
}

func (c *card) text(x, y int, class, anchor, text string) {
	fmt.Fprintf(&c.b, "<text x=\"%d\" y=\"%d\" class=\"%s\" text-anchor=\"%s\">%s</text>\n", x, y, class, anchor, escaped(text))
}

// paragraph writes wrapped text.
func (c *card) paragraph(class, text string, width, height int) {
	for _, line := range wrap(Plain(labelled(text, c.labels)), width) {
		c.y += height
		c.text(cardMargin, c.y, class, "start", line)
	}
}

func (c *card) head(a *analysis.Analysis) {
	if a.Grade != "" {
		fmt.Fprintf(&c.b, "<rect class=\"box\" x=\"%d\" y=\"%d\" width=\"52\" height=\"52\" rx=\"6\"/>\n", cardWidth-cardMargin-52, cardMargin-4)
		c.text(cardWidth-cardMargin-26, cardMargin+33, "grade", "middle", a.Grade)
	}
	c.y -= 8
	c.paragraph("title", cmp.Or(a.Study.Title, a.Study.Name), 62, 24)
	c.paragraph("quiet", a.Study.Question, cardColumn, 20)
	c.y += 6
	c.paragraph("answer", cmp.Or(a.Headline, noVerdict), 76, 22)
	c.paragraph("quiet", strings.Join(labels(a), " · "), cardColumn, 22)
	if a.Grade != "" {
		c.paragraph("quiet", "Grade "+a.Grade+": "+boundLine(a), cardColumn, 22)
	}
	c.y += 14
}

// lines writes a row for each variant.
func (c *card) lines(a *analysis.Analysis) {
	variants := withRungs(a.Variants)
	top := 0.0
	for _, v := range variants {
		top = max(top, cardTop(v))
	}
	if top <= 0 {
		return
	}
	for _, v := range variants[:min(len(variants), cardRows)] {
		c.row(v, top*1.06)
	}
	if more := len(variants) - cardRows; more > 0 {
		c.paragraph("quiet", "The report has "+words.Count(more, "more variant")+".", cardColumn, 22)
	}
}

// cardTop is the largest figure that a variant's row shows.
func cardTop(v analysis.Variant) float64 {
	if hasObjectives(v) {
		return float64(v.Rungs[len(v.Rungs)-1].Instances)
	}
	if v.Best == nil {
		return 0
	}
	return v.Best.Throughput.Value
}

func (c *card) row(v analysis.Variant, top float64) {
	c.y += cardRow
	at := func(value float64) int { return cardLeft + int(value/top*(cardRight-cardLeft)) }
	c.text(cardMargin, c.y, "", "start", words.Middle(cmp.Or(v.Label, v.Name), 24))
	fmt.Fprintf(&c.b, "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n", cardLeft, cardRight, c.y+6, c.y+6)
	if !hasObjectives(v) {
		if v.Best != nil {
			c.bar("line", cardLeft, at(v.Best.Throughput.Value))
			c.text(cardRight+12, c.y, "", "start", say.Plain(v.Best.Throughput, words.Number)+" "+v.Work.Unit.Throughput)
		}
		return
	}
	r := v.LoadLine.Reach()
	switch r.Extent {
	case loadline.AtLeast:
		c.bar("line", cardLeft, at(float64(r.Low)))
		c.bar("open", at(float64(r.Low)), cardRight)
	case loadline.FewerThan:
		c.bar("open", cardLeft, at(float64(r.High)))
	case loadline.Exactly:
		c.bar("line", cardLeft, at(float64(r.Low)))
	case loadline.Between:
		c.bar("line", cardLeft, at(float64(r.Low)))
		c.bar("open", at(float64(r.Low)), at(float64(r.High)))
	}
	c.text(cardRight+12, c.y, "", "start", say.BracketText(r))
}

func (c *card) bar(class string, from, to int) {
	fmt.Fprintf(&c.b, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"12\"/>\n", class, from, c.y-9, max(to-from, 2))
}

func (c *card) foot(a *analysis.Analysis) {
	c.y += 16
	parts := []string{"plimsoll " + a.Run.Plimsoll, "run " + a.Run.ID}
	if a.Run.Plimsoll == "" {
		parts = parts[1:]
	}
	if !a.Run.Ended.IsZero() {
		parts = append(parts, a.Run.Ended.UTC().Format("2006-01-02"))
	}
	if gradedBy(a) != "" {
		parts = append(parts, "graded by "+a.Run.AnalysedBy)
	}
	c.paragraph("quiet", strings.Join(parts, " · "), cardColumn, 22)
	c.y += cardMargin - 8
}
