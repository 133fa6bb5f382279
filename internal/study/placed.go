package study

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// placedKey is the field of a server that says where its mounts lie.
const placedKey = "storage"

// varied are the storages that variants differ in: those on which no mount is placed by
// name, or the first one where all are.
func (s *Study) varied() []string {
	s = s.all()
	placed := s.placed()
	free := slices.DeleteFunc(slices.Clone(s.StorageOrder), func(name string) bool { return placed[name] })
	if len(free) == 0 && len(s.StorageOrder) > 0 {
		return s.StorageOrder[:1]
	}
	return free
}

// placed are the storages that servers place mounts on in any variant.
func (s *Study) placed() map[string]bool {
	s = s.all()
	placed := map[string]bool{}
	for _, one := range s.Tile() {
		for _, e := range append(slices.Collect(maps.Values(one.Stack)), one.Engine) {
			for _, name := range e.Storage {
				placed[name] = true
			}
		}
	}
	for _, f := range s.Matrix.Factors {
		if !isPlacing(f.Path) {
			continue
		}
		for _, level := range f.Levels {
			placed[LevelText(level)] = true
		}
	}
	return placed
}

// isPlacing reports whether a factor varies where a mount lies: stack.db.storage.archive.
func isPlacing(factor string) bool {
	if _, own, ok := ofMember(factor); ok {
		factor = own
	}
	parts := strings.Split(factor, ".")
	at := len(parts) - 2
	return (parts[0] == "engine" && at == 1 || parts[0] == "stack" && at == 2) && parts[at] == placedKey
}

// place gives the variant storages with parameters of their own.
func (s *Study) place(v *Variant, names ...string) error {
	for _, name := range names {
		if _, placed := v.Storages[name]; placed {
			continue
		}
		storage := s.Storage[name]
		storage.Otherwise = nil
		var err error
		if storage.Parameters, err = copyOf(storage.Parameters); err != nil {
			return fmt.Errorf("copying the parameters of storage %s: %w", name, err)
		}
		v.Storages[name] = storage
	}
	return nil
}

// mounted are the storages that mounts are placed on by name.
func (v Variant) mounted() (names []string) {
	for _, one := range v.Tile() {
		for _, e := range append(slices.Collect(maps.Values(one.Stack)), one.Engine) {
			names = slices.AppendSeq(names, maps.Values(e.Storage))
		}
	}
	return names
}

// StorageOf is the key of the storage on which a mount of a role is.
func (v Variant) StorageOf(role, mount string) string {
	return cmp.Or(v.Server(role).Storage[mount], v.StorageName)
}

// Storage is the storage on which a mount is unless its server says otherwise.
func (v Variant) Storage() Storage { return v.Storages[v.StorageName] }

// places checks where a server's mounts are to lie.
func (c *checker) places(e Engine, r Role, path string) {
	var mounts []string
	for _, m := range r.Mounts {
		mounts = append(mounts, m.Name)
	}
	for _, mount := range sortedKeys(e.Storage) {
		at, name := path+"."+placedKey+"."+mount, e.Storage[mount]
		i := slices.Index(mounts, mount)
		if i < 0 {
			c.near(c.root.at(at), at, fmt.Sprintf("servers of role %s have no mount %q", r.Name, mount), mount, mounts)
			continue
		}
		s, known := c.study.Storage[name]
		if !known {
			c.near(c.root.at(at), at, fmt.Sprintf("unknown storage %q", name), name, c.study.StorageOrder)
			continue
		}
		if class := c.vocabulary.Classes[s.Class]; class.Volumes != nil && s.Parameters != nil {
			c.mountable(at, name, class.Volumes(s.Parameters), r, r.Mounts[i].Kinds)
		}
	}
}

// mountable notes that a storage hands out nothing that a mount can be.
func (c *checker) mountable(at, storage string, given []string, r Role, wanted []string) {
	if !slices.ContainsFunc(wanted, func(kind string) bool { return contains(given, kind) }) {
		c.wrong(at, fmt.Sprintf("storage class %s hands out %s, which the role %s of workload %s cannot use",
			c.study.Storage[storage].Class, handedOut(given), r.Name, c.study.Workload.Name), "a class that hands out volumes of kind "+strings.Join(wanted, " or "))
	}
}
