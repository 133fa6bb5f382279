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

// Hints are the advice of the variant's storage class on a resource: how to get more of it,
// then what else may relieve it.
func (s *Subject) Hints(v *model.Variant, of resource.Resource) (more, beside []describe.Hint) {
	for _, t := range s.Run.Trials {
		if t.Variant.Name != v.Name || len(t.Storage().Hints) == 0 {
			continue
		}
		for _, h := range t.Storage().Hints {
			switch {
			case h.Resource != string(of.Kind) || h.Role != "" && h.Role != roleOf(t, of.Device) || h.Rate != "" && h.Rate != of.AtRate:
			case h.Beside:
				beside = append(beside, h)
			default:
				more = append(more, h)
			}
		}
		return more, beside
	}
	return nil, nil
}

// roleOf is what a device of a trial is there for.
func roleOf(t *result.Trial, device string) string {
	for _, d := range t.Devices {
		if d.Name == device {
			return d.Role
		}
	}
	return ""
}
