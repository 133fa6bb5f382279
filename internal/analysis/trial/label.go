package trial

import "strings"

// Label is what a part of a machine is called: a name for running text, and what tables add
// to it in a bracket.
type Label struct{ Name, Bracket string }

// Called is a label without a bracket.
func Called(name string) Label { return Label{Name: name} }

// ReadLabel takes a name apart that a user gave, bracket included.
func ReadLabel(text string) Label {
	name, bracket, has := strings.Cut(text, " (")
	if !has || !strings.HasSuffix(bracket, ")") {
		return Called(text)
	}
	return Label{name, strings.TrimSuffix(bracket, ")")}
}

// Behind is the label with a text before its name.
func (l Label) Behind(text string) Label { return Label{text + l.Name, l.Bracket} }

// String writes both: "disk sdb (hdd)".
func (l Label) String() string {
	if l.Bracket == "" {
		return l.Name
	}
	return l.Name + " (" + l.Bracket + ")"
}
