package trust

import "strconv"

// Form is which of the sentences about its kind a warning is: a short name that is unique within
// the kind. Package say has the sentences.
type Form string

// NumberUnit is the unit of a number in a warning.
type NumberUnit string

// Units of numbers.
const (
	InSeconds    NumberUnit = "s"
	InBytes      NumberUnit = "bytes"
	AsShare      NumberUnit = "share"      // of a whole, 1 for all of it
	AsNumber     NumberUnit = "number"     // a figure without a unit, or with a unit that follows as a name
	AsCount      NumberUnit = "count"      // how many there are of something
	AsGrowth     NumberUnit = "growth"     // the size of a relative change
	AsDifference NumberUnit = "difference" // relative to another figure: above it or, negative, below
)

// Arg is a value in a warning's sentence: a number, a name, a list of names, or statements within
// the sentence. The empty one stands for a part that the sentence does without.
type Arg struct {
	Unit   NumberUnit `json:"unit,omitempty" jsonschema:"enum=s,enum=bytes,enum=share,enum=number,enum=count,enum=growth,enum=difference"` // of Value; empty where the value is no number
	Value  float64    `json:"value,omitempty"`                                                                                             // in base units; left out for 0
	Noun   string     `json:"noun,omitempty"`                                                                                              // that a count is of, singular, where the study chose it: "order"
	Plural string     `json:"plural,omitempty"`                                                                                            // of Noun
	// Text is a name, such as a machine, a device or a unit of work, or words that were recorded
	// with the trial.
	Text string `json:"text,omitempty"`
	// Figures are the numbers in Text, of recorded words.
	Figures []Figure `json:"figures,omitempty"`
	// List has names.
	List []string `json:"list,omitempty"`
	// Reasons are statements within the sentence: what a stall hid, why it matters.
	Reasons []Reason `json:"reasons,omitempty"`
}

// Reason is a statement within a warning, or next to one.
type Reason struct {
	Kind Kind  `json:"kind"`           // as of a warning
	Form Form  `json:"form"`           // which statement of its kind it is
	Args []Arg `json:"args,omitempty"` // in the order of its sentence
}

// Figure is a part of a text that stands for a number.
type Figure struct {
	At     int     `json:"at" within:"0..1000000"`     // where it begins, in characters
	Length int     `json:"length" within:"0..1000000"` // in characters, its unit included: "12 %"
	Value  float64 `json:"value"`                      // in the base unit (s, bytes; a share for %), by which figures are ordered
}

// Seconds is a time.
func Seconds(v float64) Arg { return Arg{Unit: InSeconds, Value: v} }

// Bytes is a size.
func Bytes(v float64) Arg { return Arg{Unit: InBytes, Value: v} }

// Share is a share of a whole.
func Share(v float64) Arg { return Arg{Unit: AsShare, Value: v} }

// Number is a figure.
func Number(v float64) Arg { return Arg{Unit: AsNumber, Value: v} }

// Growth is the size of a relative change.
func Growth(change float64) Arg { return Arg{Unit: AsGrowth, Value: max(change, -change)} }

// Difference is how far a figure lies above another one, or below.
func Difference(relative float64) Arg { return Arg{Unit: AsDifference, Value: relative} }

// Count is how many there are of what the sentence names.
func Count[N ~int | ~int64](n N) Arg { return Arg{Unit: AsCount, Value: float64(n)} }

// CountOf is how many there are of something that the study or the workload names.
func CountOf(n int64, noun, plural string) Arg {
	return Arg{Unit: AsCount, Value: float64(n), Noun: noun, Plural: plural}
}

// Name is what something is called, or words that are known only when a trial runs.
func Name(text string) Arg { return Arg{Text: text} }

// Names are what several things are called.
func Names(list []string) Arg { return Arg{List: list} }

// Exactly is a limit as the study has it.
func Exactly(v float64) Arg { return Name(strconv.FormatFloat(v, 'g', -1, 64)) }

// Because is a statement within a sentence.
func Because(kind Kind, form Form, args ...Arg) Arg { return All(Reason{kind, form, args}) }

// All are statements within a sentence.
func All(reasons ...Reason) Arg { return Arg{Reasons: reasons} }
