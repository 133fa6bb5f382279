// Package event declares what can be done while users are at work: the verbs of storage
// classes, platforms, engines and workloads, and the one grammar in which a study writes
// them. It takes declarations and texts such as "kill peer 2" and gives parsed events. A
// fault is an event that breaks something.
package event

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Form is how an event names its object.
type Form int

// The forms of objects.
const (
	Whole    Form = iota // nothing: "cut power"
	Numbered             // a number: "kill peer 2"
	Servers              // an instance, or its servers of one role: "kill instance 0 db"
	Node                 // a machine's name, or the machines of an instance: "drain node of instance 0 db"
)

// Object describes the objects of a verb.
type Object struct {
	Form Form
	// Kind follows the verb: "peer" in "kill peer 2". Empty for Whole.
	Kind string
	// Last is the largest number of a Numbered object; they count from 1. 0 is not known.
	Last int
	// Valid says whether a Node may have a name; nil accepts all.
	Valid func(name string) bool
}

// Verb is one thing that can be done to one kind of object.
type Verb struct {
	Name   string // "kill", "cut power", "drain"
	Object Object
	// Argument describes what follows the object, "RATE" in "degrade link 1 100mbit";
	// empty is nothing.
	Argument string
	// Argue checks an argument; nil accepts all.
	Argue func(string) error
	// Breaks means that something is away or degraded afterwards: the event is a fault.
	Breaks bool
	// Undoes lists the verbs whose effect on the same object this one ends. What undoes
	// breaks nothing.
	Undoes []string
	// CutsPower means that the campaign cuts the power of the object around the actor.
	CutsPower bool
	// Text says in one clause what happens and how it ends; for the documentation.
	Text string
	// Note is for readers of a report who might take the event for something else.
	Note string
	// Missing is the reason why the actor cannot do this, with a remedy; nil if it can.
	Missing error
}

// Repairs reports whether the verb undoes others.
func (v Verb) Repairs() bool { return len(v.Undoes) > 0 }

// Words are the words with which the verb's events begin.
func (v Verb) Words() string { return strings.TrimSpace(v.Name + " " + v.Object.Kind) }

// Usages lists how a study writes the verb, with its own choices in capitals.
func (v Verb) Usages() []string {
	words, argument := v.Words(), ""
	if v.Argument != "" {
		argument = " " + v.Argument
	}
	switch v.Object.Form {
	case Numbered:
		return []string{words + " N" + argument}
	case Servers:
		return []string{words + " N" + argument, words + " N ROLE" + argument}
	case Node:
		return []string{words + " NAME" + argument, words + " of instance N" + argument}
	}
	return []string{words + argument}
}

// Crash is the note of verbs that end processes, which might be taken for a power cut.
const Crash = "its processes crash; unlike a power cut, the kernel still writes its caches to the disks"

// Event is something that a study has done during a trial.
type Event struct {
	Verb   Verb
	Text   string // as the study writes it
	Number int    // of the object, or of the instance
	Role   string // of the instance; empty is all
	Member string // whose instance it is: "of shop"; empty in studies without members
	Name   string // of a node, in place of an instance
	// Argument is as the study writes it.
	Argument string
}

// Part names the object without its verb: "peer 2"; empty is the whole.
func (e Event) Part() string {
	switch o := e.Verb.Object; o.Form {
	case Numbered:
		return fmt.Sprintf("%s %d", o.Kind, e.Number)
	case Servers, Node:
		return strings.TrimPrefix(e.Text, e.Verb.Name+" ")
	}
	return ""
}

// SameObject reports whether two events are about the same object.
func (e Event) SameObject(o Event) bool {
	return e.Verb.Object.Kind == o.Verb.Object.Kind && e.Verb.Object.Form == o.Verb.Object.Form &&
		e.Number == o.Number && e.Role == o.Role && e.Member == o.Member && e.Name == o.Name
}

// Undoes reports whether an event ends the effect of an earlier one.
func (e Event) Undoes(earlier Event) bool {
	return e.SameObject(earlier) && slices.Contains(e.Verb.Undoes, earlier.Verb.Name)
}

// OfInstance reports whether the event is about the servers of an instance.
func (e Event) OfInstance() bool {
	return e.Verb.Object.Form == Servers || e.Verb.Object.Form == Node && e.Name == ""
}

// Last returns the last event that fits; the zero Event if none does.
func Last(all []Event, fits func(Event) bool) Event {
	for _, e := range slices.Backward(all) {
		if fits(e) {
			return e
		}
	}
	return Event{}
}

// Declaration lists the verbs of one actor.
type Declaration struct {
	Of    string // "a small pool"
	Verbs []Verb
	// Order says why an event makes no sense after the earlier ones, the first one first;
	// nil accepts any order.
	Order func(e Event, earlier []Event) error
}

// ErrUnknown is of a text that begins with none of the verbs.
var ErrUnknown = errors.New("unknown event")

// unknownError wraps ErrUnknown with the verbs that are known.
type unknownError struct{ text, of, known string }

func (u unknownError) Error() string {
	return fmt.Sprintf("%q is not a fault of %s; supported: %s", u.text, u.of, u.known)
}

func (unknownError) Unwrap() error { return ErrUnknown }

// Usages lists how a study writes the declared verbs.
func (d Declaration) Usages() (all []string) {
	for _, v := range d.Verbs {
		all = append(all, v.Usages()...)
	}
	return all
}

// Begins reports whether a text begins with one of the verbs, however it goes on.
func (d Declaration) Begins(text string) bool {
	return slices.ContainsFunc(d.Verbs, func(v Verb) bool {
		_, ok := v.rest(text)
		return ok
	})
}

// Parse reads an event, whose object exists. The error for a text that fits no verb is
// ErrUnknown and lists the verbs.
func (d Declaration) Parse(text string) (Event, error) {
	var first error
	for _, v := range d.Verbs {
		rest, ok := v.rest(text)
		if !ok {
			continue
		}
		e, err := v.parse(text, rest)
		if err == nil {
			return e, d.exists(e)
		}
		if first == nil && !errors.Is(err, ErrUnknown) {
			first = err
		}
	}
	if first != nil {
		return Event{}, first
	}
	return Event{}, unknownError{text, d.Of, strings.Join(d.Usages(), ", ")}
}

// exists reports whether the numbered object of an event exists.
func (d Declaration) exists(e Event) error {
	if o := e.Verb.Object; o.Form == Numbered && o.Last > 0 && (e.Number < 1 || e.Number > o.Last) {
		return fmt.Errorf("%s %d does not exist; %s has 1 to %d", o.Kind, e.Number, definite(d.Of), o.Last)
	}
	return nil
}

// Check says why one of the declaration's events cannot be done after earlier ones of it, the
// first one first.
func (d Declaration) Check(e Event, earlier []Event) error {
	if e.Verb.Missing != nil || d.Order == nil {
		return e.Verb.Missing
	}
	return d.Order(e, earlier)
}

// Undo gives the event that ends the effect of another, if there is one.
func (d Declaration) Undo(e Event) (text string, ok bool) {
	for _, v := range d.Verbs {
		same := v.Object.Form == e.Verb.Object.Form && v.Object.Kind == e.Verb.Object.Kind
		if same && slices.Contains(v.Undoes, e.Verb.Name) {
			return strings.TrimSpace(v.Name + " " + e.Part()), true
		}
	}
	return "", false
}

// definite makes "the pool" of "a Gluster pool".
func definite(of string) string {
	words := strings.Fields(of)
	if len(words) == 0 {
		return "it"
	}
	return "the " + words[len(words)-1]
}

// rest returns the text after the verb's words.
func (v Verb) rest(text string) (string, bool) {
	rest, ok := strings.CutPrefix(text, v.Words())
	return strings.TrimSpace(rest), ok && (rest == "" || rest[0] == ' ')
}

func (v Verb) parse(text, rest string) (Event, error) {
	e := Event{Verb: v, Text: text}
	fields := strings.Fields(rest)
	fields, err := e.object(fields)
	if err != nil {
		return e, err
	}
	switch {
	case v.Argument == "" && len(fields) > 0, len(fields) > 1:
		return e, ErrUnknown
	case v.Argument != "" && len(fields) == 0:
		return e, fmt.Errorf("%q has no %s: write %s", text, strings.ToLower(v.Argument), v.Usages()[0])
	case v.Argument != "":
		e.Argument = fields[0]
		if v.Argue != nil {
			return e, v.Argue(e.Argument)
		}
	}
	return e, nil
}

// object reads the object and gives the words behind it.
func (e *Event) object(fields []string) (rest []string, err error) {
	switch e.Verb.Object.Form {
	case Numbered:
		return e.number(fields)
	case Servers:
		return e.servers(fields)
	case Node:
		if len(fields) > 1 && fields[0] == "of" && fields[1] == "instance" {
			return e.servers(fields[2:])
		}
		if valid := e.Verb.Object.Valid; len(fields) == 0 || valid != nil && !valid(fields[0]) {
			return nil, ErrUnknown
		}
		e.Name = fields[0]
		return fields[1:], nil
	}
	return fields, nil
}

func (e *Event) number(fields []string) (rest []string, err error) {
	if len(fields) == 0 {
		return nil, ErrUnknown
	}
	if e.Number, err = strconv.Atoi(fields[0]); err != nil {
		return nil, ErrUnknown
	}
	return fields[1:], nil
}

// servers reads the number of an instance and, where there is one, a role and a member.
func (e *Event) servers(fields []string) (rest []string, err error) {
	rest, err = e.number(fields)
	if err != nil || e.Number < 0 {
		return nil, ErrUnknown
	}
	if of := slices.Index(rest, "of"); of >= 0 {
		if of+1 == len(rest) {
			return nil, ErrUnknown
		}
		e.Member, rest = rest[of+1], slices.Delete(slices.Clone(rest), of, of+2)
	}
	arguments := 0
	if e.Verb.Argument != "" {
		arguments = 1
	}
	if len(rest) > arguments {
		e.Role, rest = rest[0], rest[1:]
	}
	return rest, nil
}
