package browsertest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// Violation is a rule of accessibility that a page breaks, as axe-core reports it.
type Violation struct {
	Rule, Impact, Help string
	Elements           []string // each with its fault
}

func (v Violation) String() string {
	return fmt.Sprintf("%s (%s): %s\n\t%s", v.Rule, v.Impact, v.Help, strings.Join(v.Elements, "\n\t"))
}

// Accessible fails the test for every serious or critical violation that
// axe-core finds in the page that ctx shows. It skips the test where
// axe-core is not installed.
func Accessible(t *testing.T, ctx context.Context) {
	t.Helper()
	for _, v := range Violations(t, ctx) {
		if v.Impact == "serious" || v.Impact == "critical" {
			t.Errorf("%v", v)
		}
	}
}

// Violations are all that axe-core finds.
func Violations(t *testing.T, ctx context.Context) []Violation {
	t.Helper()
	if err := chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](axe(t))); err != nil {
		t.Fatalf("load axe-core into the page: %v", err)
	}
	found, err := chromedp.Run(ctx, chromedp.Evaluate[[]Violation](audit, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("run axe-core: %v", err)
	}
	return found
}

const audit = `axe.run({resultTypes: ["violations"]}).then(r => r.violations.map(v => ({
	Rule: v.id, Impact: v.impact, Help: v.help,
	Elements: v.nodes.slice(0, 8).map(n => n.target.join(" ") + ": " + [...n.any, ...n.all, ...n.none].map(c => c.message).join("; ")),
})))`

// axe is the script of axe-core, which npm puts below web/.
func axe(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(".") // of the package under test
	if err != nil {
		t.Fatal(err)
	}
	for ; root != "/"; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
	}
	script, err := os.ReadFile(filepath.Join(root, "web", "node_modules", "axe-core", "axe.min.js"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("axe-core is not installed: run \"npm ci\" in web/")
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}
