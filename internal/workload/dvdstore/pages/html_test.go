package pages_test

import (
	"errors"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// void are the elements that have no end.
var void = []string{"input", "meta", "br", "link"}

// wellFormed returns the first fault of a document. HTML forgives nearly everything, this
// nothing.
func wellFormed(text string) string {
	if !strings.HasPrefix(text, "<!DOCTYPE html>") || !strings.HasSuffix(text, "</html>\n") {
		return "it is not a whole document"
	}
	var open []string
	for z := html.NewTokenizer(strings.NewReader(text)); ; {
		kind := z.Next()
		raw := string(z.Raw())
		token := z.Token()
		switch kind {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				return z.Err().Error()
			}
			if len(open) > 0 {
				return "not closed: " + strings.Join(open, " ")
			}
			return ""
		case html.TextToken:
			if inStyle := len(open) > 0 && open[len(open)-1] == "style"; !inStyle && strings.ContainsAny(raw, "<>\"'") {
				return "not escaped: " + raw
			}
		case html.StartTagToken:
			if seen := duplicate(raw); seen != "" || strings.Contains(raw, "='") || strings.Count(raw, "<") != 1 {
				return "attributes of " + raw + " " + seen
			}
			if token.Data == "script" {
				return "a script: " + raw
			}
			if !slices.Contains(void, token.Data) {
				open = append(open, token.Data)
			}
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != token.Data {
				return raw + " does not close " + strings.Join(open, " ")
			}
			open = open[:len(open)-1]
		case html.SelfClosingTagToken, html.CommentToken:
			return "unexpected: " + raw
		}
	}
}

var attributeName = regexp.MustCompile(` ([a-z-]+)="[^"]*"`)

// duplicate names an attribute that a tag has twice.
func duplicate(tag string) string {
	seen := map[string]bool{}
	for _, found := range attributeName.FindAllStringSubmatch(tag, -1) {
		if seen[found[1]] {
			return found[1]
		}
		seen[found[1]] = true
	}
	return ""
}

func TestWellFormed(t *testing.T) {
	whole := func(body string) string { return "<!DOCTYPE html><html><body>" + body + "</body></html>\n" }
	if wrong := wellFormed(whole(`<p class="a">1 &lt; 2</p><input name="x">`)); wrong != "" {
		t.Error(wrong)
	}
	for _, text := range []string{"", "<!DOCTYPE html><html>", whole("<p>"), whole("</p>"), whole("a > b"), whole(`<p class="a" class="b"></p>`), whole("<p class='a'></p>"),
		whole("<script></script>"), whole("<!-- -->")} {
		if wellFormed(text) == "" {
			t.Errorf("%q passes", text)
		}
	}
}

// page is the answer to a request.
type page struct {
	t      *testing.T
	of     string
	status int
	text   string
	root   *html.Node
}

// elements lists those with a class, or inputs with a name.
func (p page) elements(element, key, value string) []*html.Node {
	var found []*html.Node
	for n := range p.root.Descendants() {
		if n.Type == html.ElementNode && n.Data == element && attribute(n, key) == value {
			found = append(found, n)
		}
	}
	return found
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// text is what an element says.
func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// cells are what the cells of a row say.
func cells(row *html.Node) (all []string) {
	for d := range row.ChildNodes() {
		all = append(all, text(d))
	}
	return all
}

// input returns the value of the first input of a name; it must be there.
func (p page) input(name string) string {
	p.t.Helper()
	found := p.elements("input", "name", name)
	if len(found) == 0 {
		p.t.Fatalf("%s: no input %s in\n%s", p.of, name, p.text)
	}
	return attribute(found[0], "value")
}

// class returns what the element of a class says, which must be there once.
func (p page) class(element, class string) string {
	p.t.Helper()
	found := p.elements(element, "class", class)
	if len(found) != 1 {
		p.t.Fatalf("%s: %d elements %s of class %s in\n%s", p.of, len(found), element, class, p.text)
	}
	return text(found[0])
}

// request gets a page and makes sure that it is well-formed and says what its
// status is.
func (s *stack) request(t *testing.T, version, name string, parameters url.Values) page {
	t.Helper()
	p := page{t: t, of: version + "/" + name + ".php?" + parameters.Encode()}
	r, err := s.client.Get("http://shop/" + p.of)
	if err != nil {
		t.Fatalf("%s: %v", p.of, err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatalf("%s: %v", p.of, err)
	}
	p.status, p.text = r.StatusCode, string(body)
	if wrong := wellFormed(p.text); wrong != "" {
		t.Fatalf("%s: %s\n%s", p.of, wrong, p.text)
	}
	if got := r.Header.Get("Content-Type"); got != "text/html; charset=utf-8" || r.ContentLength != int64(len(body)) {
		t.Errorf("%s: type %q, length %d of %d", p.of, got, r.ContentLength, len(body))
	}
	if p.root, err = html.Parse(strings.NewReader(p.text)); err != nil {
		t.Fatal(err)
	}
	if failed := len(p.elements("p", "class", "error")) == 1; failed != (p.status != 200) {
		t.Errorf("%s: status %d, and an error is shown: %t", p.of, p.status, failed)
	}
	if secret := s.db.Target().Endpoint("db").Password; strings.Contains(p.text, secret) || strings.Contains(p.text, "#0 ") || strings.Contains(p.text, ".php:") {
		t.Errorf("%s tells too much:\n%s", p.of, p.text)
	}
	return p
}

// get gets a page that must be good.
func (s *stack) get(t *testing.T, version, name string, parameters ...string) page {
	t.Helper()
	p := s.request(t, version, name, values(parameters...))
	if p.status != 200 {
		t.Fatalf("%s: status %d\n%s", p.of, p.status, p.text)
	}
	return p
}

// fails gets a page that must fail with a status, and gives the message.
func (s *stack) fails(t *testing.T, status int, version, name string, parameters ...string) string {
	t.Helper()
	p := s.request(t, version, name, values(parameters...))
	if p.status != status {
		t.Fatalf("%s: status %d, want %d\n%s", p.of, p.status, status, p.text)
	}
	return p.class("p", "error")
}

// values returns parameters that are written name, value, name, value, ….
func values(parameters ...string) url.Values {
	v := url.Values{}
	for i := 0; i < len(parameters); i += 2 {
		v.Add(parameters[i], parameters[i+1])
	}
	return v
}
