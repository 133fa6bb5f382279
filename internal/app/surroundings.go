package app

import (
	"strconv"
	"strings"
)

// Surroundings are the values of the variables in a server's texts, in the place where it
// runs.
type Surroundings struct {
	Volume  string            // directory; empty where it has none
	Mounts  map[string]string // directories of its other volumes, by the names of their mounts
	Runtime string            // private directory for sockets and secrets
	Host    string            // address that it listens on
	Port    int
	Users   string // network that it is reached from
	Listen  string // one way in: ${HOST}:${PORT}, or a socket
}

// Expand replaces the variables in a text.
func (s Surroundings) Expand(text string) string {
	all := []string{
		"${VOLUME}", s.Volume, "${RUNTIME}", s.Runtime,
		"${HOST}", s.Host, "${PORT}", strconv.Itoa(s.Port), "${USERS}", s.Users, "${LISTEN}", s.Listen,
	}
	for name, at := range s.Mounts {
		all = append(all, "${VOLUME:"+name+"}", at)
	}
	return strings.NewReplacer(all...).Replace(text)
}

// Content is a file's content with the variables replaced by their values, quoted for the
// file's format.
func (s Surroundings) Content(f File) string {
	if f.Escape == nil {
		return s.Expand(f.Content)
	}
	s.Volume, s.Runtime, s.Host, s.Users, s.Listen = f.Escape(s.Volume), f.Escape(s.Runtime), f.Escape(s.Host), f.Escape(s.Users), f.Escape(s.Listen)
	escaped := map[string]string{}
	for name, at := range s.Mounts {
		escaped[name] = f.Escape(at)
	}
	s.Mounts = escaped
	return s.Expand(f.Content)
}

// ExpandAll replaces the variables in texts.
func (s Surroundings) ExpandAll(texts []string) []string {
	all := make([]string, len(texts))
	for i, t := range texts {
		all[i] = s.Expand(t)
	}
	return all
}

// Mentions reports whether a server uses a variable, such as ${PORT}, at all.
func (s Server) Mentions(variable string) bool {
	texts := append(append([]string{s.Socket}, s.Command...), s.Env...)
	for _, f := range s.Files {
		texts = append(texts, f.Path, f.Content)
	}
	return strings.Contains(strings.Join(texts, "\n"), variable) || s.Payload.Mentions(variable)
}

// ListensAlone reports whether a server listens on one address and asks for no
// password there.
func (s Server) ListensAlone() bool { return s.Mentions("${LISTEN}") }

// NeedsPort reports whether a server listens on a port. together is whether all its users
// are on its machine.
func (s Server) NeedsPort(together bool) bool {
	return s.Mentions("${PORT}") || s.ListensAlone() && !together
}
