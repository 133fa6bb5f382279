package study

import (
	"fmt"
	"sort"
	"strings"
)

// Problem is one thing that is wrong with a study file.
type Problem struct {
	File   string `json:"file"`   // or the --set that it is about
	Line   int    `json:"line"`   // from 1; 0 where it is about a --set
	Column int    `json:"column"` // from 1, in characters; 0 where it is about a --set
	// Path is the dotted path of the field, empty for the file as a whole.
	Path string `json:"path,omitempty"`
	// Found says what the file has, and Expected what it should have.
	Found    string `json:"found"`
	Expected string `json:"expected,omitempty"`
	// Suggestion is what was probably meant.
	Suggestion string `json:"suggestion,omitempty"`
	// Excerpt is the line of the file.
	Excerpt string `json:"excerpt,omitempty"`
}

// Problems is every problem of a study file, in the order of the file.
type Problems struct {
	File string    `json:"file"`
	List []Problem `json:"problems"`
	// Omitted counts further problems that are not listed.
	Omitted int `json:"omitted,omitempty"`
}

// Error prints all problems, each with its place, the line and what was
// expected.
func (p *Problems) Error() string {
	var b strings.Builder
	if n := len(p.List) + p.Omitted; n == 1 {
		fmt.Fprintf(&b, "%s has a problem:", p.File)
	} else {
		fmt.Fprintf(&b, "%s has %d problems:", p.File, n)
	}
	for _, problem := range p.List {
		b.WriteString("\n\n")
		b.WriteString(problem.String())
	}
	if p.Omitted > 0 {
		fmt.Fprintf(&b, "\n\nand %d more", p.Omitted)
	}
	return b.String()
}

// String prints one problem: place, field, what was found, the line with a
// mark under the place, what was expected.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	b.WriteString(": ")
	if p.Path != "" && !strings.HasPrefix(p.File, "--set "+p.Path) {
		fmt.Fprintf(&b, "%s: ", p.Path)
	}
	b.WriteString(p.Found)
	if p.Excerpt != "" {
		fmt.Fprintf(&b, "\n%6d | %s\n       | %s^", p.Line, p.Excerpt, padding(p.Excerpt, p.Column))
	}
	if advice := p.advice(); advice != "" {
		if p.Excerpt == "" {
			b.WriteString(";")
		}
		b.WriteString(" " + advice)
	}
	return b.String()
}

func (p Problem) advice() string {
	var parts []string
	if p.Suggestion != "" {
		parts = append(parts, "did you mean "+p.Suggestion+"?")
	}
	if p.Expected != "" {
		parts = append(parts, "expected "+p.Expected)
	}
	return strings.Join(parts, " ")
}

// padding is as wide as the part of the line before the column, keeping tabs.
func padding(line string, column int) string {
	var b strings.Builder
	for i, r := range []rune(line) {
		if i >= column-1 {
			break
		}
		if r == '\t' {
			b.WriteRune('\t')
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// inOrder sorts by place and drops repetitions, which arise when several
// profiles contain the same part of the file.
func inOrder(list []Problem) []Problem {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		if a.Column != b.Column {
			return a.Column < b.Column
		}
		return a.Found < b.Found
	})
	kept := list[:0]
	for _, p := range list {
		if n := len(kept); n > 0 && kept[n-1].at() == p.at() {
			continue
		}
		kept = append(kept, p)
	}
	return kept
}

// at is what makes two problems the same.
func (p Problem) at() [4]string {
	return [4]string{fmt.Sprint(p.Line), fmt.Sprint(p.Column), p.Path, p.Found}
}
