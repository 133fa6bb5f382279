package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

const root = "../.."

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)(?:\s+"[^"]*")?\)`)
	code    = regexp.MustCompile("`[^`\n]*`")
	heading = regexp.MustCompile(`(?m)^#{1,6}\s+(.+?)\s*#*$`)
	scheme  = regexp.MustCompile(`^[a-z][a-z0-9+.-]*:`)
)

// TestLinks: each relative link of a page leads to a file of the repository, and what
// follows # to a heading of that page.
func TestLinks(t *testing.T) {
	anchors := map[string]map[string]bool{}
	followed := 0
	for _, page := range pages(t) {
		_, prose, err := Blocks(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(code.ReplaceAllString(prose, ""), "\n") {
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if scheme.MatchString(m[1]) {
					continue
				}
				followed++
				if fault := follow(t, anchors, page, m[1]); fault != "" {
					t.Errorf("%s:%d: %s: %s", strings.TrimPrefix(page, root+"/"), i+1, m[1], fault)
				}
			}
		}
	}
	if followed < 100 {
		t.Errorf("found only %d links: the test proves nothing", followed)
	}
}

// pages are all pages of the repository.
func pages(t *testing.T) []string {
	t.Helper()
	all, err := Pages(root)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// follow returns the problem with a link of a page, or nothing.
func follow(t *testing.T, anchors map[string]map[string]bool, page, target string) string {
	t.Helper()
	path, anchor, _ := strings.Cut(target, "#")
	to := page
	if path != "" {
		to = filepath.Join(filepath.Dir(page), path)
	}
	info, err := os.Stat(to)
	switch {
	case err != nil:
		return "no such file"
	case anchor == "":
		return ""
	case info.IsDir() || !strings.HasSuffix(to, ".md"):
		return "only pages have headings"
	}
	if anchors[to] == nil {
		anchors[to] = anchorsOf(t, to)
	}
	if !anchors[to][anchor] {
		return "the page has no such heading"
	}
	return ""
}

// anchorsOf are the headings of a page as links name them.
func anchorsOf(t *testing.T, page string) map[string]bool {
	t.Helper()
	_, prose, err := Blocks(page)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(prose, -1) {
		base := anchor(m[1])
		name := base
		for n := 1; found[name]; n++ {
			name = base + "-" + strconv.Itoa(n)
		}
		found[name] = true
	}
	return found
}

// anchor is what hosts of repositories, and the site, call a heading: letters, digits,
// hyphens and underscores in lower case, with hyphens for spaces.
func anchor(heading string) string {
	text := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(heading, "$1")
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

func TestAnchor(t *testing.T) {
	for of, want := range map[string]string{
		"Load line":                       "load-line",
		"Storage class `disk`: simulated": "storage-class-disk-simulated",
		"trial.json":                      "trialjson",
		"What [it](x.md) costs, and why":  "what-it-costs-and-why",
	} {
		if got := anchor(of); got != want {
			t.Errorf("%s: %s, want %s", of, got, want)
		}
	}
}

// TestTheSiteHasEveryPage: a page that the site does not list is found by nobody, and the site
// is not built with one.
func TestTheSiteHasEveryPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "site", "mkdocs.yml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages(t) {
		name, inDocs := strings.CutPrefix(page, filepath.Join(root, "docs")+"/")
		if inDocs && !strings.Contains(string(text), ": "+name+"\n") {
			t.Errorf("docs/%s is not in the nav of site/mkdocs.yml", name)
		}
	}
}
