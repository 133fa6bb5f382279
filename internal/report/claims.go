package report

import (
	"cmp"
	"io"
	"slices"

	"plimsoll/internal/analysis"
	"plimsoll/internal/study/claim"
	"plimsoll/internal/text/words"
)

// claimsNote says what outcomes mean.
const claimsNote = "Each claim is judged with the bounds of its figures: reproduced if it holds for all that they may be, contradicted if for none, and not shown if for some."

// claimOrder is the order in which outcomes are listed: what a reader looks for first.
var claimOrder = []claim.Outcome{claim.Contradicted, claim.Reproduced, claim.NotShown, claim.NotMeasured}

// claimsIn are the claims of an analysis, by their outcomes.
func claimsIn(a *analysis.Analysis) []analysis.ClaimResult {
	return slices.SortedStableFunc(slices.Values(a.Claims), func(x, y analysis.ClaimResult) int {
		return cmp.Compare(slices.Index(claimOrder, x.Outcome), slices.Index(claimOrder, y.Outcome))
	})
}

// writeClaims shows what the run says of claims.
func writeClaims(s sheet, a *analysis.Analysis) {
	if len(a.Claims) == 0 {
		return
	}
	s.heading("Claims")
	s.note(claimsNote)
	texts := make([]string, 0, len(a.Claims))
	for _, c := range claimsIn(a) {
		texts = append(texts, words.Sentences(words.Capital(string(c.Outcome))+": "+claimText(c), words.Capital(c.Text)))
	}
	s.items(texts)
}

// claimText is a claim in words, or its predicate where it has none, with where it was published.
func claimText(c analysis.ClaimResult) string {
	text := cmp.Or(c.Claim.Text, "`"+c.Predicate+"`")
	if c.Place != "" {
		text += " (" + c.Place + ")"
	}
	return text
}

// claimsTable is the page's.
func claimsTable(a *analysis.Analysis) grid {
	g := newGrid("lll", "outcome", "claim", "this run")
	for _, c := range claimsIn(a) {
		outcome := cell{text: string(c.Outcome)}
		switch c.Outcome {
		case claim.Reproduced:
			outcome.kind = KeptCell
		case claim.Contradicted:
			outcome.kind = BrokenCell
		}
		said := cell{text: Plain(claimText(c))}
		if c.Claim.Text != "" {
			said.lines = []string{said.text, c.Predicate}
		}
		g.rows = append(g.rows, []cell{outcome, said, {text: Plain(c.Text)}})
	}
	return g
}

const noClaims = "The study has no claims, and names no published result (reference:) with any. Try one with report --set 'claims=[...]'."

// writeAnyClaims is writeClaims, or says that there are none.
func writeAnyClaims(s sheet, a *analysis.Analysis) {
	writeClaims(s, a)
	if len(a.Claims) == 0 {
		s.gap()
		s.text(noClaims)
	}
}

// TerminalClaims writes what a run says of claims alone; see Terminal.
func TerminalClaims(w io.Writer, a *analysis.Analysis, width int, colour bool) error {
	l := &lines{painter: painter{colour}, width: clampWidth(width), labels: labelsOf(a)}
	writeTitle(l, a)
	writeAnyClaims(l, a)
	return l.flush(w)
}

// MarkdownClaims writes what a run says of claims alone.
func MarkdownClaims(w io.Writer, a *analysis.Analysis) error {
	m := &markdown{labels: labelsOf(a)}
	m.title(a)
	writeAnyClaims(m, a)
	_, err := io.WriteString(w, m.b.String())
	return err
}

// JSONClaims writes what a run says of claims alone.
func JSONClaims(w io.Writer, a *analysis.Analysis) error {
	return writeJSON(w, "the claims", map[string]any{"schema": SchemaVersion, "run": a.Run.ID, "claims": append([]analysis.ClaimResult{}, a.Claims...)})
}
