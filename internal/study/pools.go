package study

import (
	"errors"
	"reflect"
)

// Pools are the storage classes of a file that names nothing else, for pools
// that stand without a study.
type Pools struct {
	Storage map[string]Storage `yaml:"storage" json:"storage"`
	Order   []string           `yaml:"-" json:"order"` // names, as in the file
}

// ParsePools reads a file with storage: alone, written as in a study. The error
// is a *Problems that lists everything that is wrong.
func ParsePools(file string, data []byte, v Vocabulary) (Pools, error) {
	src, root := load(file, data)
	if root == nil {
		return Pools{}, src.err()
	}
	d := &decoder{source: src, vocabulary: v.sorted()}
	var p Pools
	d.fields(root, reflect.ValueOf(&p).Elem(), "", nil)
	p.Order = keysInOrder(root.get("storage"))
	if len(p.Order) == 0 && len(d.problems) == 0 {
		d.problem(root, "storage", "the file defines no storage", "storage: with a name, class: and its parameters")
	}
	for _, name := range p.Order {
		if !isStorageName(name) {
			d.problem(root.at("storage"), "storage."+name, "it is not a valid storage name", nameExpected)
		}
	}
	return p, src.err()
}

// PoolsOf takes the storage classes out of a study.
func PoolsOf(s *Study) Pools { return Pools{Storage: s.Storage, Order: s.StorageOrder} }

// Only keeps one pool.
func (p Pools) Only(name string) (Pools, error) {
	one, ok := p.Storage[name]
	if !ok {
		return Pools{}, errors.New("unknown storage class " + name)
	}
	return Pools{Storage: map[string]Storage{name: one}, Order: []string{name}}, nil
}
