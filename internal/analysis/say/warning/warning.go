package warning

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/text/words"
)

// subject is a kind of warnings with its sentences.
type subject struct {
	kind      trust.Kind
	sentences []sentence
}

// sentence is how one form of a kind is said, or a statement within such sentences.
//
// The verbs of the format stand for the values in their order: %s writes one as its unit asks,
// %d as a whole number without a unit, %a a name with its article, and %v statements one after
// the other. Of {was|were} the first is for a count of one, by the first count of all.
type sentence struct {
	form   trust.Form
	format string
	needs  string // the evidence without which it is not said
}

// chapter is a part of the sentences, as docs/contributing/sentences.md has them.
type chapter struct {
	title    string
	subjects []subject
}

// chapters are all sentences of warnings.
func chapters() []chapter {
	return []chapter{
		{"Missing evidence", ofTrials}, {"The load", ofLoad}, {"Machines and storage", ofMachines},
		{"Unsteady work", ofWork}, {"Repetitions and runs", ofRuns}, {"Comparisons and sizings", ofSides},
	}
}

// Sentence is a row of the table, for its page in the documents.
type Sentence struct {
	Chapter string
	Kind    trust.Kind
	Form    trust.Form
	Text    string // with … for the values
	Needs   string // the evidence without which it is not said
}

// Sentences are all rows of the table.
func Sentences() (all []Sentence) {
	for _, c := range chapters() {
		for _, s := range c.subjects {
			for _, one := range s.sentences {
				text := choice.ReplaceAllString(verb.ReplaceAllString(one.format, "…"), "$1/$2")
				all = append(all, Sentence{c.title, s.kind, one.form, strings.ReplaceAll(text, "%%", "%"), one.needs})
			}
		}
	}
	return all
}

type formOf struct {
	kind trust.Kind
	form trust.Form
}

// table finds a sentence by its kind and form.
var table = sync.OnceValue(func() map[formOf]sentence {
	all := map[formOf]sentence{}
	for _, c := range chapters() {
		for _, s := range c.subjects {
			for _, one := range s.sentences {
				all[formOf{s.kind, one.form}] = one
			}
		}
	}
	return all
})

// Write writes the texts of warnings, with their figures and names.
func Write(all []trust.Warning) {
	for i := range all {
		w := &all[i]
		if w.Form == "" {
			continue
		}
		said := stated(w.Reason())
		w.Text, w.Names, w.Figures = said.Text, said.Names, nil
		for _, f := range said.Figures {
			w.Figures = append(w.Figures, trust.Figure(f))
		}
	}
}

// Why writes a reason.
func Why(reason trust.Reason) string { return stated(reason).Text }

// Whys writes reasons one after the other.
func Whys(reasons []trust.Reason) string { return inTurn(reasons).Text }

// Named writes warnings with their trials.
func Named(all []trust.Warning) (texts []string) {
	for _, w := range all {
		text := w.Text
		if w.Trial != "" {
			text = w.Trial + ": " + text
		}
		texts = append(texts, text)
	}
	return texts
}

// statement is a text of the table, with the forms of the statements in it.
type statement struct {
	words.Phrase
	forms string
}

func stated(r trust.Reason) statement {
	s, known := table()[formOf{r.Kind, r.Form}]
	if !known {
		return statement{Phrase: words.Phrase{Text: string(r.Kind) + ": " + string(r.Form)}}
	}
	return written(string(r.Form), s.format, r.Args)
}

// verb is a verb of a format in the table.
var verb = regexp.MustCompile(`%[sdav]`)

// written formats the values of a statement. It is the one place where formats of the table
// become text.
func written(form, format string, args []trust.Arg) statement {
	format, number := inNumber(format, args)
	out := statement{forms: form + number}
	parts := make([]any, 0, len(args))
	for i, v := range verb.FindAllString(format, -1) {
		if i >= len(args) {
			break
		}
		part := operand(v, args[i])
		parts, out.forms = append(parts, part.Phrase), out.forms+part.forms
	}
	out.Phrase = say.Phrase(verb.ReplaceAllString(format, "%s"), parts...)
	return out
}

// choice is a place of a format with words for one and for several.
var choice = regexp.MustCompile(`\{([^|}]*)\|([^}]*)\}`)

// inNumber chooses the words for one or for several. number marks a format that has such words
// and is about one.
func inNumber(format string, args []trust.Arg) (chosen, number string) {
	if !choice.MatchString(format) {
		return format, ""
	}
	for _, a := range args {
		if a.Unit == trust.AsCount && a.Value == 1 {
			return choice.ReplaceAllString(format, "$1"), "/one"
		} else if a.Unit == trust.AsCount {
			break
		}
	}
	return choice.ReplaceAllString(format, "$2"), ""
}

// operand writes one value.
func operand(verb string, a trust.Arg) statement {
	switch {
	case a.Unit != "" && verb == "%d":
		return statement{Phrase: figure(a.Value, strconv.FormatFloat(a.Value, 'f', 0, 64))}
	case a.Unit != "":
		return statement{Phrase: figure(a.Value, number(a))}
	case verb == "%v":
		return inTurn(a.Reasons)
	case a.Reasons != nil:
		return joined(a.Reasons)
	case a.List != nil:
		return name(say.Join(a.List))
	case a.Figures != nil:
		return recordedText(a)
	case verb == "%a":
		return name(say.A(a.Text))
	case a.Text == "":
		return statement{}
	}
	return name(a.Text)
}

func name(text string) statement {
	return statement{Phrase: words.Phrase{Text: text, Names: []string{text}}}
}

// figure marks a number in its text; one that is none is a name.
func figure(v float64, text string) words.Phrase {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return words.Phrase{Text: text, Names: []string{text}}
	}
	return words.Say("%s", words.Amount{Value: v, Text: text})
}

// number writes a value with its unit.
func number(a trust.Arg) string {
	switch a.Unit {
	case trust.InSeconds:
		return words.Seconds(a.Value)
	case trust.InBytes:
		return words.Bytes(a.Value)
	case trust.AsShare:
		return words.Percent(a.Value)
	case trust.AsGrowth:
		return say.Growth(a.Value)
	case trust.AsDifference:
		return say.AboveOrBelow(a.Value)
	case trust.AsCount:
		if a.Noun != "" {
			return say.CountOf(int(a.Value), a.Noun, a.Plural)
		}
		return words.Thousands(a.Value)
	}
	return words.Figures(a.Value)
}

// recordedText is a text that was recorded with its figures. Its name is the text without them.
func recordedText(a trust.Arg) statement {
	said := words.Phrase{Text: a.Text}
	for _, f := range a.Figures {
		said.Figures = append(said.Figures, words.Figure(f))
	}
	said.Names = []string{said.WithoutFigures()}
	return statement{Phrase: said}
}

// joined writes statements as a list: a, b and c.
func joined(all []trust.Reason) (out statement) {
	var phrases []words.Phrase
	for _, r := range all {
		one := stated(r)
		phrases, out.forms = append(phrases, one.Phrase), out.forms+"("+one.forms+")"
	}
	out.Phrase = series(phrases)
	return out
}

// series is Join of texts that know their figures.
func series(items []words.Phrase) (out words.Phrase) {
	for i, item := range items {
		switch {
		case i == 0:
			out = item
		case i == len(items)-1:
			out = say.Phrase("%s and %s", out, item)
		default:
			out = words.Say("%s, %s", out, item)
		}
	}
	return out
}

// inTurn writes statements one after the other.
func inTurn(all []trust.Reason) (out statement) {
	var parts []any
	for _, r := range all {
		one := stated(r)
		parts, out.forms = append(parts, one.Phrase), out.forms+"("+one.forms+")"
	}
	out.Phrase = words.Say(strings.TrimSuffix(strings.Repeat("%s; ", len(all)), "; "), parts...)
	return out
}
