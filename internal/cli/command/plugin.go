package command

import (
	"regexp"
	"strings"
)

// SpeakAsPlugin has texts name the commands as a plugin of kubectl is called.
func (s *State) SpeakAsPlugin(commands []string) {
	s.invocation = regexp.MustCompile(`(?:kubectl )?\bplimsoll (--[a-z]+|` + strings.Join(commands, "|") + `)\b`)
}

// Spoken puts the commands that a text names as they would be typed.
func (s *State) Spoken(text string) string {
	if s.invocation == nil {
		return text
	}
	return s.invocation.ReplaceAllString(text, "kubectl plimsoll $1")
}
