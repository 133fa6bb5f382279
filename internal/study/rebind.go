package study

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// Rebind gives a study that came out of JSON its typed parameters back, so
// that it can be expanded and run. The error names what the vocabulary no
// longer knows.
func Rebind(s *Study, v Vocabulary) error {
	s.vocabulary = v
	if err := rebindWorkloads(s.Members, v); err != nil {
		return err
	}
	if err := rebindPlatform(&s.Platform, v); err != nil {
		return err
	}
	return rebindStorages(s.Storage, v)
}

// Typed is a copy of a study that came out of JSON, with its typed parameters back.
func (s *Study) Typed(v Vocabulary) (*Study, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var out Study
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, err
	}
	return &out, Rebind(&out, v)
}

// RebindVariant does for a variant what Rebind does for a study.
func RebindVariant(variant *Variant, v Vocabulary) error {
	if err := rebindWorkloads(variant.Members, v); err != nil {
		return err
	}
	return rebindStorages(variant.Storages, v)
}

func rebindStorages(all map[string]Storage, v Vocabulary) error {
	for name, storage := range all {
		if err := rebindStorage(name, &storage, v); err != nil {
			return err
		}
		all[name] = storage
	}
	return nil
}

// rebindWorkloads rebinds the workloads of members.
func rebindWorkloads(members []Member, v Vocabulary) error {
	for i, m := range members {
		err := rebindWorkload(&members[i].Workload, v)
		if err != nil && m.Name != "" {
			err = fmt.Errorf("member %s: %w", m.Name, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func rebindWorkload(w *Workload, v Vocabulary) error {
	kind, known := v.Workloads[w.Name]
	if !known {
		return fmt.Errorf("reading back the study: this version of Plimsoll has no workload %q", w.Name)
	}
	return rebindParameters(&w.Parameters, kind, "workload "+w.Name)
}

func rebindPlatform(p *Platform, v Vocabulary) error {
	if p.Name == "" {
		return nil
	}
	kind, known := v.Platforms[p.Name]
	if !known {
		return fmt.Errorf("reading back the study: this version of Plimsoll has no platform %q", p.Name)
	}
	return rebindParameters(&p.Parameters, kind, "platform "+p.Name)
}

func rebindStorage(name string, s *Storage, v Vocabulary) error {
	kind, known := v.Classes[s.Class]
	if !known {
		return fmt.Errorf("reading back the study: storage %s has class %q, which this version of Plimsoll does not have", name, s.Class)
	}
	if s.Otherwise != nil {
		if err := rebindStorage(name, s.Otherwise, v); err != nil {
			return err
		}
	}
	return rebindParameters(&s.Parameters, kind, "storage "+name)
}

func rebindParameters(parameters *any, kind VocabularyEntry, of string) error {
	typed := reflect.TypeOf(kind.Defaults())
	if *parameters == nil {
		*parameters = kind.Defaults()
		return nil
	}
	out, err := retype(*parameters, typed)
	if err != nil {
		return fmt.Errorf("reading back the parameters of %s: %w", of, err)
	}
	*parameters = out
	return nil
}
