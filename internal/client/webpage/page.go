// Package webpage asks for pages of a web application and reads what they say, as the
// sessions of a workload need it: it builds a path with a query, and takes from HTML hidden
// inputs with numbers, and whether the page says that something is wrong. It reads
// leniently, since the pages may be of others.
package webpage

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"plimsoll/internal/client/httpwire"
)

// WrongPage is the class of errors for pages with a successful status that are
// not the page asked for, or that report an error.
const WrongPage = "wrong-page"

// Verdict is what a page says by the class of one of its elements.
type Verdict string

// Verdicts of pages.
const (
	Failed  Verdict = "error"
	Refused Verdict = "refused"
	Taken   Verdict = "taken"
	SoldOut Verdict = "soldout"
)

// Page is an answer with its body, which is valid until the next request.
type Page struct {
	Name string
	Body []byte
	Says Verdict // empty for none
}

// Read looks at an answer for everything that makes it no page on which all is well.
func Read(name string, answer httpwire.Page) (Page, error) {
	p := Page{Name: name, Body: answer.Body}
	err := p.check(answer.Status) // notes what the page says, before it is returned
	return p, err
}

// pageError is a fault of a page.
type pageError struct{ class, text string }

func (e *pageError) Error() string      { return e.text }
func (e *pageError) ErrorClass() string { return e.class }

// Wrong is an error of the class WrongPage about the page.
func (p *Page) Wrong(format string, args ...any) error {
	return &pageError{WrongPage, fmt.Sprintf("page "+p.Name+": "+format, args...)}
}

// check looks for everything that makes it no answer.
func (p *Page) check(status int) error {
	says, text := verdictOf(p.Body)
	p.Says = says
	switch {
	case status != http.StatusOK:
		e := &httpwire.StatusError{Status: status}
		if says == Failed {
			e.Message = readable(text)
		}
		return fmt.Errorf("page %s: %w", p.Name, e)
	case says == Failed:
		return p.Wrong("it came with success and says: %s", readable(text))
	}
	if at := complaintOfPHP(p.Body); at >= 0 {
		return p.Wrong("it came with success and has a message of PHP: %s", readable(p.Body[at:]))
	}
	if !complete(p.Body) {
		return &pageError{httpwire.CutShort, fmt.Sprintf("page %s: it has no end (</html>): %s", p.Name, p.Title())}
	}
	return nil
}

// Number returns the value of the first input of a name.
func (p *Page) Number(name string) (int64, error) {
	if n, _ := nextInput(p.Body, name); n > 0 {
		return n, nil
	}
	return 0, p.Wrong("it has no %s: %s", name, p.Title())
}

// Numbers appends the values of all inputs of a name.
func (p *Page) Numbers(name string, found []int64) []int64 {
	for rest := p.Body; ; {
		n, end := nextInput(rest, name)
		if end < 0 {
			return found
		}
		if n > 0 {
			found = append(found, n)
		}
		rest = rest[end:]
	}
}

// verdictOf finds the first element whose class is a verdict, with its text.
func verdictOf(body []byte) (v Verdict, text []byte) {
	for rest := body; ; {
		at := bytes.Index(rest, []byte("class="))
		if at < 0 {
			return "", nil
		}
		rest = rest[at+len("class="):]
		class := unquoted(rest)
		for _, v := range [...]Verdict{Failed, Refused, Taken, SoldOut} {
			if string(class) == string(v) {
				_, text, _ = bytes.Cut(rest, []byte(">"))
				text, _, _ = bytes.Cut(text, []byte("</"))
				return v, text
			}
		}
	}
}

// unquoted is an attribute's value, with quotes of either kind or none around it.
func unquoted(value []byte) []byte {
	ends := " \t\r\n>/"
	if len(value) > 0 && (value[0] == '"' || value[0] == '\'') {
		ends, value = string(value[:1]), value[1:]
	}
	if end := bytes.IndexAny(value[:min(len(value), longestValue)], ends); end >= 0 {
		return value[:end]
	}
	return nil
}

// longestValue of the attributes that matter here.
const longestValue = 64

// complaintOfPHP finds what PHP writes into a page when it is set to show errors,
// -1 for none: bold in HTML, or at the beginning of a line.
func complaintOfPHP(body []byte) int {
	for _, sign := range [...]string{"Fatal error</b>:", "Parse error</b>:", "Warning</b>:", "\nFatal error: ", "\nPHP Fatal error: ", "\nWarning: "} {
		if at := bytes.Index(body, []byte(sign)); at >= 0 {
			return at
		}
	}
	return -1
}

// complete reports whether the page has come to its end. The closing tag is
// looked for near the end first.
func complete(body []byte) bool {
	const far = 64
	end := body[max(0, len(body)-far):]
	return bytes.Contains(end, []byte("</html>")) || bytes.Contains(body, []byte("</html>")) || bytes.Contains(body, []byte("</HTML>"))
}

// nextInput finds the next element that has an attribute name of this value. n is
// its attribute value, 0 where that is no positive number; end is where the element
// ends, -1 when there is none.
func nextInput(body []byte, name string) (n int64, end int) {
	for i := 0; ; {
		next := bytes.Index(body[i:], []byte(name))
		if next < 0 {
			return 0, -1
		}
		i += next
		begin, rest := bytes.LastIndexByte(body[:i], '<'), bytes.IndexByte(body[i:], '>')
		if begin < 0 || rest < 0 {
			return 0, -1
		}
		i += rest + 1
		if element := body[begin:i]; string(attribute(element, "name")) == name {
			return positive(attribute(element, "value")), i
		}
	}
}

// attribute returns the value of an attribute, in any order, quoting and case of its
// name, of an element from its < to its >.
func attribute(element []byte, name string) []byte {
	for rest := element; ; {
		at := bytes.IndexByte(rest, '=')
		if at < 0 {
			return nil
		}
		before := rest[:at]
		rest = rest[at+1:]
		begin := len(before) - len(name)
		if begin > 0 && bytes.EqualFold(before[begin:], []byte(name)) && bytes.IndexByte([]byte(" \t\r\n\"'"), before[begin-1]) >= 0 {
			return unquoted(rest)
		}
	}
}

// positive reads a positive number, 0 where it is none.
func positive(text []byte) (n int64) {
	const mostDigits = 18
	if len(text) > mostDigits {
		return 0
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int64(c-'0')
	}
	return n
}

// Title is what the page says that it is, for people.
func (p *Page) Title() string {
	if _, after, ok := bytes.Cut(p.Body, []byte("<title>")); ok {
		title, _, _ := bytes.Cut(after, []byte("</"))
		return "it is " + strconv.Quote(readable(title))
	}
	return "it begins with " + strconv.Quote(readable(p.Body))
}

// longestText of a page that an error repeats.
const longestText = 200

// readable is what a part of a page says, without its elements.
func readable(text []byte) string {
	var b strings.Builder
	inside := false
	for _, c := range string(text[:min(len(text), 4*longestText)]) {
		switch {
		case c == '<':
			inside = true
		case c == '>':
			inside, c = false, ' '
			fallthrough
		case !inside && unicode.IsPrint(c):
			b.WriteRune(c)
		case !inside:
			b.WriteByte(' ')
		}
	}
	plain := strings.Join(strings.Fields(html.UnescapeString(b.String())), " ")
	if len(plain) > longestText {
		plain = strings.ToValidUTF8(plain[:longestText], "") + " …"
	}
	return plain
}

// Untaken reports whether with this error a site tells that it did not take the request; after
// all others nobody knows whether a page has written.
func Untaken(err error) bool {
	status, hasStatus := errors.AsType[*httpwire.StatusError](err)
	_, elsewhere := errors.AsType[*httpwire.RedirectError](err)
	return elsewhere || hasStatus && status.Status < 500
}
