package registry

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/describe/event"
	"plimsoll/internal/study"
)

// eventsPage is the table of everything that can be done during a trial.
const eventsPage = "../../../docs/events.md"

// declared lists all declarations, by who does it as the page says it.
func declared() map[string]event.Declaration {
	all := map[string]event.Declaration{"every study": study.CampaignEvents()}
	for name, k := range Kinds() {
		if events := k.Capabilities().Events; events != nil {
			all["storage class `"+name+"`"] = events(nil)
		}
	}
	for name, k := range Platforms() {
		if events := k.Capabilities().Events; events != nil {
			all["platform `"+name+"`"] = events(nil)
		}
	}
	for name, e := range Engines() {
		if actor := e.Capabilities().Actor; actor != nil {
			all["engine `"+name+"`"] = actor.Events()
		}
	}
	return all
}

// rows are the lines of the table.
func rows() string {
	var b strings.Builder
	b.WriteString("| who | event | breaks | what it does | undone by |\n|---|---|---|---|---|\n")
	all := declared()
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, v := range all[name].Verbs {
			breaks, undone := "", ""
			if v.Breaks {
				breaks = "yes"
			}
			if text, ok := all[name].Undo(event.Event{Verb: v}); ok {
				undone = "`" + strings.Fields(text)[0] + "`"
			}
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s |\n", name, strings.Join(v.Usages(), "`, `"), breaks, v.Text, undone)
		}
	}
	return b.String()
}

// The page of events matches the declarations.
func TestEventsPageIsCurrent(t *testing.T) {
	text, err := os.ReadFile(eventsPage)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(text), "| who |")
	if at < 0 {
		t.Fatal("the page has no table")
	}
	end := at + len(table(string(text[at:])))
	if *update {
		if err := os.WriteFile(eventsPage, []byte(string(text[:at])+rows()+string(text[end:])), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(text[at:end]) != rows() {
		t.Error("docs/events.md is not what the parts declare: go test ./internal/cli/registry -run TestEventsPageIsCurrent -update")
	}
}

// table is the text up to the first line that is no row.
func table(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// Each verb says what it does, and what it undoes is a verb of the same object.
func TestDeclarationsAreComplete(t *testing.T) {
	for who, d := range declared() {
		for _, v := range d.Verbs {
			if v.Text == "" || d.Of == "" {
				t.Errorf("%s: %q says nothing of itself", who, v.Words())
			}
			if v.Breaks && v.Repairs() {
				t.Errorf("%s: %q breaks and repairs", who, v.Words())
			}
			for _, undone := range v.Undoes {
				if !slices.ContainsFunc(d.Verbs, func(o event.Verb) bool {
					return o.Name == undone && o.Object.Kind == v.Object.Kind && o.Object.Form == v.Object.Form
				}) {
					t.Errorf("%s: %q undoes %q, which is no verb", who, v.Words(), undone)
				}
			}
		}
	}
}
