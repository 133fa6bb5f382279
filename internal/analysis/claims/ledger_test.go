package claims_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/study/claim"
	"plimsoll/reference"
)

var update = flag.Bool("update", false, "write docs/ledger.md anew")

const ledgerIntroduction = `# Ledger of published claims

What the authors of each published result conclude, judged on the figures that they published. A claim that is not
measured here is about figures that they did not publish. ` + "`plimsoll report RUN --claims`" + ` judges the same claims on a
run of yours; see [claims](claims.md). ` + "`go test ./internal/analysis/claims -run TestLedger -update`" + ` writes this page.
`

// What authors conclude must hold for what they published; the ledger in the documentation is current.
func TestLedger(t *testing.T) {
	text := strings.Builder{}
	text.WriteString(ledgerIntroduction)
	for _, name := range reference.Names() {
		set, err := reference.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		run, err := set.Run()
		if err != nil {
			t.Fatal(err)
		}
		a, err := analysis.Analyse(run, analysis.Options{Published: &analysis.Published{Run: run, Claims: set.Claims}})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Claims) != len(set.Claims) || len(a.Claims) == 0 {
			t.Errorf("%s: %d of %d claims", name, len(a.Claims), len(set.Claims))
		}
		fmt.Fprintf(&text, "\n## %s\n\n%s.\n\n", name, set.Citation)
		for _, c := range a.Claims {
			if c.Outcome == claim.Contradicted || c.Outcome == claim.NotShown || c.Unread != "" {
				t.Errorf("%s: %q is %s by the published figures: %s", name, c.Claim.Text, c.Outcome, c.Text)
			}
			fmt.Fprintf(&text, "- **%s**: %s (%s): %s.\n\n      %s\n\n", c.Outcome, c.Claim.Text, c.Place, c.Text, c.Predicate)
		}
	}
	const file = "../../../docs/ledger.md"
	written := strings.TrimRight(text.String(), "\n") + "\n"
	if *update {
		if err := os.WriteFile(file, []byte(written), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(file); err != nil || string(have) != written {
		t.Errorf("docs/ledger.md is not what the references say: run with -update (%v)", err)
	}
}

// Every function of the language is in the documentation.
func TestFunctionsAreInTheDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../../docs/claims.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range claim.Metrics() {
		call := m.Name + `("ssd")`
		if m.Rung {
			call = m.Name + `("ssd", 8)`
		}
		if row := fmt.Sprintf("| `%s` | %s |", call, m.Text); !strings.Contains(string(text), row) {
			t.Errorf("docs/claims.md has no row %s", row)
		}
	}
}
