package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/say/warning"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// The most that a screen takes, in lines and in columns.
const (
	screenLines = 40
	screenWidth = 100
)

// The most lines that its parts take. The table has what they leave.
const (
	titleLines  = 3
	askedLines  = 3
	answerLines = 12
	doubtLines  = 6
	nextLines   = 4
	placeLines  = 5 // which say where the rest is
)

// Screen writes what a run ends with: its question and answer, one table, what to doubt, what to
// do next, and where the rest is. On a terminal of 80 columns or more it takes at most 40 lines,
// none wider than 100 columns, and says what has no room. dir and page are the run's directory
// and report; width is the terminal's in columns (0 when not known); colour turns ANSI styles on.
func Screen(w io.Writer, a *analysis.Analysis, dir, page string, width int, colour bool) error {
	a = bestFirst(a)
	top := &screen{lines: &lines{painter: painter{colour}, width: min(clampWidth(width), screenWidth), labels: labelsOf(a)}}
	top.cut(titleLines, func(l *lines) { writeTitle(l, a) })
	if a.Study.Question != "" {
		top.gap()
		top.cut(askedLines, func(l *lines) { l.paragraph(dim, a.Study.Question) })
	}
	top.answer(a)
	end := &screen{lines: top.like()}
	end.doubts(a)
	end.next(a)
	top.figures(a, screenLines-placeLines-top.used()-end.used())
	top.b.WriteString(end.b.String())
	top.left = append(top.left, end.left...)
	top.place(a, dir, page)
	return top.flush(w)
}

// screen is a text page with little room.
type screen struct {
	*lines
	left []string // what had none, in words
}

// like is an empty page of the same form.
func (l *lines) like() *lines { return &lines{painter: l.painter, width: l.width, labels: l.labels} }

// used is how many lines a page has.
func (l *lines) used() int { return strings.Count(l.b.String(), "\n") }

// cut writes as much of a text as so many lines hold.
func (s *screen) cut(most int, write func(*lines)) {
	whole := s.like()
	write(whole)
	for line := range strings.Lines(whole.b.String()) {
		if most--; most == 0 && whole.used() > 1 && !strings.HasSuffix(whole.b.String(), line) {
			line = "  …\n"
		}
		if most < 0 {
			return
		}
		s.b.WriteString(line)
	}
}

// items writes as many items as the lines hold, after an empty line, and always the first; noun is
// for one of them.
func (s *screen) items(most int, noun string, all []item) {
	for i, one := range all {
		alone := s.like()
		alone.item(one.style, one.mark, one.text)
		switch n := alone.used(); {
		case i == 0:
			s.gap()
			s.cut(most, func(l *lines) { l.item(one.style, one.mark, one.text) })
			most -= n
		case n > most:
			s.left = append(s.left, words.Count(len(all)-i, noun))
			return
		default:
			s.b.WriteString(alone.b.String())
			most -= n
		}
	}
}

// answer writes what answers the question.
func (s *screen) answer(a *analysis.Analysis) {
	if len(a.Parts) == 0 {
		s.gap()
		s.paragraph(bold+red, noVerdict)
	}
	s.items(answerLines, "more part", answerItems(s.lines, a))
}

// doubts are what can have changed the answer, how far it may be off, and trials that failed.
func (s *screen) doubts(a *analysis.Analysis) {
	all := doubtItems(s.lines, a)
	if a.Grade != "" {
		all = append(all, item{gradeStyle(a.Grade), "Grade " + a.Grade, s.plain(boundLine(a))})
	}
	for _, text := range failures(a) {
		all = append(all, item{red, "✗", s.plain(text)})
	}
	s.items(doubtLines, "more doubt", all)
}

// next is what to do, what brings the answer closer first.
func (s *screen) next(a *analysis.Analysis) {
	var all []item
	if cure := cureOf(a); cure != "" {
		all = append(all, item{cyan, "→", s.plain(words.Capital(cure))})
	}
	for _, text := range nextTexts(a) {
		all = append(all, item{cyan, "→", s.plain(text)})
	}
	s.items(nextLines, "more next step", all)
}

// place says where the rest is.
func (s *screen) place(a *analysis.Analysis, dir, page string) {
	if n := len(warning.Groups(a.Warnings)); n > 0 {
		s.left = append(s.left, words.Count(n, "warning"))
	}
	s.gap()
	s.paragraph(dim, "Not shown here: "+strings.Join(append(s.left, "figures by "+nouns(a), "settings"), ", ")+". They are in:")
	s.paragraph("", "plimsoll report "+words.Shell(dir))
	s.paragraph("", "report: "+page)
}

// figures writes the table, with as many rows as so many lines hold.
func (s *screen) figures(a *analysis.Analysis, room int) {
	g := variantFigures(a)
	if len(a.Tiles) > 0 {
		g = tileFigures(a)
	}
	if room = max(0, room-2); room < len(g.rows) { // below an empty line and the head
		s.left = append(s.left, words.Count(len(g.rows)-room, "more variant"))
		g.rows = g.rows[:room]
	}
	if len(g.rows) == 0 {
		return
	}
	s.gap()
	g.squeeze(s.width)
	s.table(g)
}

// tileFigures has a row for each variant of the study: how many tiles it carries.
func tileFigures(a *analysis.Analysis) grid {
	g := newGrid("lrl", "variant", "tiles", "first to break", "score")
	g.drop = []string{"score"}
	for _, t := range a.Tiles {
		first, score := words.Missing, words.Missing
		if t.First != nil {
			first = fmt.Sprintf("%s at %d", t.First.Member, t.Next)
		}
		for _, r := range t.Rungs {
			if r.Tiles == t.Rung {
				score = numberOrMissing(r.Score.Value, words.Figures)
			}
		}
		g.add(t.Variant, say.BracketText(t.Reach()), first, score)
	}
	return g
}

// variantFigures has a row for each variant: what answers the question, and where it was measured.
func variantFigures(a *analysis.Analysis) grid {
	answered, figure := answeredColumn(a)
	g := newGrid("l", "variant", answered, cmp.Or(commonUnit(a), "throughput"), "at "+nouns(a), "mean", "p95", "p99", "trials")
	g.drop = []string{"p99", "trials", "p95"}
	for _, v := range withRungs(a.Variants) {
		r := decidingRung(v, a.Reply.ByThroughput())
		if r == nil {
			continue
		}
		does := throughputCell(*r)
		if commonUnit(a) == "" {
			does.text += " " + v.Work.Unit.Throughput
		}
		g.rows = append(g.rows, []cell{
			{text: cmp.Or(v.Label, v.Name)}, {text: figure(v)}, does, {text: words.Whole(r.Instances)}, steadyCell(*r, r.Mean, r.Mean.Value),
			steadyCell(*r, r.P95, p95(*r)), timeCell(*r, r.Percentile["p99"]), {text: strconv.Itoa(r.Repetitions + r.Failed)},
		})
	}
	if answered == "" {
		return g.dropped(answered)
	}
	return g
}

// commonUnit is the unit of throughput of all variants; empty where they have several.
func commonUnit(a *analysis.Analysis) string {
	for _, v := range a.Variants {
		if v.Work.Unit.Throughput != a.Variants[0].Work.Unit.Throughput {
			return ""
		}
	}
	return a.Study.Unit
}

// decidingRung is where a variant is read: where it does most, or else at its line.
func decidingRung(v analysis.Variant, most bool) *rung.Rung {
	if v.Best != nil && (most || !hasObjectives(v)) {
		return rung.Find(v.Rungs, v.Best.Rung)
	}
	return cmp.Or(rung.Find(v.Rungs, v.LoadLine.Rung), rung.Find(v.Rungs, v.LoadLine.Next), &v.Rungs[0])
}

// answeredColumn is what answers the question where throughput alone does not; without a head, it
// does.
func answeredColumn(a *analysis.Analysis) (head string, of func(analysis.Variant) string) {
	r := a.Reply
	switch {
	case !r.ByThroughput() && (r == nil || r.Kind == study.Capacity):
		if len(a.Study.Objectives) > 0 {
			head = "carries"
		}
		return head, func(v analysis.Variant) string { return say.BracketText(v.LoadLine.Reach()) }
	case r.Kind == study.Survival:
		return "lost", ofCell(r, func(c analysis.ReplyCell) string {
			return fmt.Sprintf("%d of %d", c.Lost+c.Gone, c.Audited+c.Uncounted+c.Gone)
		})
	case r.Kind == study.OfRating:
		return "share", ofCell(r, func(c analysis.ReplyCell) string {
			if c.Unrated {
				return words.Missing
			}
			return words.PercentOf(c.Value.Value)
		})
	case r.Metric != "":
		return r.What(), ofCell(r, func(c analysis.ReplyCell) string { return spanText(c.Value, measuredSeconds) })
	case r.Divided():
		head = r.What()
	}
	return head, ofCell(r, func(c analysis.ReplyCell) string { return words.Figures(c.Per.Value) })
}

// ofCell writes the cell of a variant in a reply.
func ofCell(r *analysis.Reply, write func(analysis.ReplyCell) string) func(analysis.Variant) string {
	return func(v analysis.Variant) string {
		for _, g := range r.Groups {
			for _, c := range g.Cells {
				if c.Variant == v.Name {
					return write(c)
				}
			}
		}
		return words.Missing
	}
}
