package words

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Phrase is a text that marks its figures, so that texts of several trials that differ in
// nothing else can be shown as one.
type Phrase struct {
	Text    string   // the whole of it
	Figures []Figure // in the order of the text
	Names   []string // the other operands, in the order of the text
}

// String is the text.
func (s Phrase) String() string { return s.Text }

// Figure is a part of a text that stands for a number.
type Figure struct {
	At     int     `json:"at" within:"0..1000000"`     // where it begins, in characters
	Length int     `json:"length" within:"0..1000000"` // in characters, its unit included: "12 %"
	Value  float64 `json:"value"`                      // in the base unit (s, bytes; a share for %), by which figures are ordered
}

// Amount is a number as it is written.
type Amount struct {
	Value float64
	Text  string
}

// String is the amount as it is written.
func (a Amount) String() string { return a.Text }

// verb is one verb of a format, or a percent sign.
var verb = regexp.MustCompile(`%[-+ #0]*\d*(?:\.\d+)?[a-z%]`)

// Say formats a text as fmt.Sprintf does, with verbs for one operand each. Numbers and
// amounts become its figures, and other operands its names. An operand that is itself a
// Said contributes its figures and names.
func Say(format string, args ...any) Phrase {
	var s Phrase
	var text strings.Builder
	length, end := 0, 0
	write := func(part string) {
		text.WriteString(part)
		length += utf8.RuneCountInString(part)
	}
	for _, at := range verb.FindAllStringIndex(format, -1) {
		write(format[end:at[0]])
		end = at[1]
		if v := format[at[0]:at[1]]; v == "%%" || len(args) == 0 {
			write(strings.TrimPrefix(v, "%"))
		} else {
			part := sayOperand(v, args[0])
			args = args[1:]
			for _, f := range part.Figures {
				s.Figures = append(s.Figures, Figure{At: length + f.At, Length: f.Length, Value: f.Value})
			}
			s.Names = append(s.Names, part.Names...)
			write(part.Text)
		}
	}
	write(format[end:])
	s.Text = text.String()
	return s
}

// sayOperand formats one operand.
func sayOperand(verb string, arg any) Phrase {
	if said, ok := arg.(Phrase); ok {
		return said
	}
	text := fmt.Sprintf(verb, arg)
	value := math.NaN()
	switch v := arg.(type) {
	case Amount:
		value = v.Value
	case int:
		value = float64(v)
	case int64:
		value = float64(v)
	case float64:
		value = v
	}
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return Phrase{Text: text, Names: []string{text}}
	}
	return Phrase{Text: text, Figures: []Figure{{Length: utf8.RuneCountInString(text), Value: value}}}
}

// WithoutFigures is the text with a mark in the place of each of its figures.
func (s Phrase) WithoutFigures() string {
	var out strings.Builder
	characters, end := []rune(s.Text), 0
	for _, f := range s.Figures {
		if f.At < end || f.At > len(characters) || f.Length < 0 || f.Length > len(characters)-f.At {
			return s.Text // figures that are none of its
		}
		out.WriteString(string(characters[end:f.At]) + "#")
		end = f.At + f.Length
	}
	return out.String() + string(characters[end:])
}
