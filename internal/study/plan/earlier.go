package plan

import (
	"encoding/json"
	"maps"
)

// UnmarshalJSON implements json.Unmarshaler. It also reads plans of earlier versions, whose
// facts describe the variant's own storage in fields of their own.
func (p *Plan) UnmarshalJSON(data []byte) error {
	type plan Plan
	read := struct {
		*plan
		Facts map[string]earlierFacts `json:"facts"`
	}{plan: (*plan)(p)}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	if len(read.Facts) > 0 {
		p.Facts = map[string]Facts{}
	}
	for _, v := range p.Applications() {
		if f, known := read.Facts[v.Title()]; known {
			p.Facts[v.Title()] = f.lift(v.StorageName)
		}
	}
	return nil
}

// earlierFacts are facts of any version.
type earlierFacts struct {
	Facts
	StorageFacts                         // of the variant's own storage
	Placed       map[string]StorageFacts `json:"placed"` // the other storages
	Unused       bool                    `json:"unused"` // that no volume is on the variant's own
	Overhead     int64                   `json:"overhead"`
	Files        int64                   `json:"files"`
	Servers      []earlierServer         `json:"servers"`
}

// earlierServer is a server of any version.
type earlierServer struct {
	Server
	Volume bool     `json:"volume"` // on the variant's own storage
	Placed []string `json:"placed"`
}

// lift gives the facts as this version has them; own is the variant's own storage.
func (f earlierFacts) lift(own string) Facts {
	all := f.Facts
	for _, s := range f.Servers {
		if s.Volume {
			s.Volumes = append(s.Volumes, own)
		}
		s.Volumes = append(s.Volumes, s.Placed...)
		all.Servers = append(all.Servers, s.Server)
	}
	if all.Storages != nil {
		return all
	}
	d := f.Dataset
	rest := Holding{d.Bytes, d.UserBytes, d.Files, d.UserFiles, f.Overhead, f.Files}
	all.Storages = map[string]StorageFacts{own: f.StorageFacts}
	maps.Copy(all.Storages, f.Placed)
	for _, s := range f.Placed {
		if h := s.Holds; h != nil {
			rest = Holding{
				rest.Bytes - h.Bytes, rest.UserBytes - h.UserBytes, rest.Files - h.Files, rest.UserFiles - h.UserFiles,
				rest.Overhead - h.Overhead, rest.ServerFiles - h.ServerFiles,
			}
		}
	}
	if !f.Unused {
		all.Hold(own, rest)
	}
	return all
}
