package setup

import (
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Server is what fills a role of the variant's instances.
func (s *Subject) Server(v *model.Variant, role string) result.Server {
	for _, t := range s.Run.Trials {
		if t.Variant.Name != v.Name {
			continue
		}
		for _, server := range t.Servers {
			if server.Role == role {
				return server
			}
		}
	}
	return result.Server{Role: role}
}

// ServerPath is the key of a study that sets a field of a role's servers; of the
// only ones where role is empty. It is not ok where there is no such key:
// Plimsoll starts no server, or several share what an instance uses.
func (s *Subject) ServerPath(v *model.Variant, role, field string) (path string, ok bool) {
	for _, t := range s.Run.Trials {
		if t.Variant.Name != v.Name {
			continue
		}
		switch {
		case role == "" && (len(t.Servers) != 1 || t.Servers[0].Count > 1 || t.Servers[0].Source == "existing"):
			return "", false
		case len(t.Variant.Stack) == 0:
			return "engine." + field, true
		case role == "":
			role = t.Servers[0].Role
		}
		return "stack." + role + "." + field, true
	}
	return "engine." + field, true
}

// Hint is what the variant's storage class says of resources of a kind.
func (s *Subject) Hint(v *model.Variant, kind resource.Kind) (describe.Hint, bool) {
	for _, t := range s.Run.Trials {
		if t.Variant.Name != v.Name {
			continue
		}
		for _, h := range t.Storage.Hints {
			if h.Resource == string(kind) {
				return h, true
			}
		}
	}
	return describe.Hint{}, false
}
