package study

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// choice is one level of one factor.
type choice struct {
	factor string
	level  any
}

// Expand returns the variants: the product of the factors without the excluded
// combinations. The first factor varies slowest. A factor that varies a parameter of a
// storage applies only to variants with that storage; a factor that varies a server applies
// only to variants with its role. The error names an impossible variant.
func (s *Study) Expand() ([]Variant, error) {
	var variants []Variant
	seen, names := map[string]bool{}, map[string]int{}
	for _, combination := range s.combinations() {
		key := fmt.Sprint(combination)
		if seen[key] || s.excluded(combination) {
			continue
		}
		seen[key] = true
		v, err := s.resolve(combination)
		if err != nil {
			return nil, err
		}
		v.Name = unique(s.name(combination), names)
		variants = append(variants, v)
	}
	return variants, nil
}

// factorsWithStorage are the matrix's factors, with storage varied first when
// it is not among them.
func (s *Study) factorsWithStorage() []Factor {
	for _, f := range s.Matrix.Factors {
		if f.Path == storageFactor {
			return s.Matrix.Factors
		}
	}
	storages := Factor{Path: storageFactor}
	for _, name := range s.varied() {
		storages.Levels = append(storages.Levels, name)
	}
	return append([]Factor{storages}, s.Matrix.Factors...)
}

// combinations are the choices of every variant, less those that do not
// concern its storage. It stops once there are more than anybody can run.
func (s *Study) combinations() [][]choice {
	all := [][]choice{nil}
	for _, f := range s.factorsWithStorage() {
		var longer [][]choice
		for _, c := range all {
			for _, level := range f.Levels {
				longer = append(longer, append(c[:len(c):len(c)], choice{f.Path, level}))
			}
			if len(longer) > 10*mostVariants {
				break
			}
		}
		all = longer
	}
	for i, c := range all {
		all[i] = s.concerning(c)
	}
	return all
}

func (s *Study) concerning(all []choice) []choice {
	storageName := storageOf(all)
	kept := all[:0:0]
	for _, c := range all {
		if applies(c.factor, storageName) && s.concernsRole(c.factor, all) {
			kept = append(kept, c)
		}
	}
	return kept
}

func storageOf(choices []choice) string {
	for _, c := range choices {
		if c.factor == storageFactor {
			return LevelText(c.level)
		}
	}
	return ""
}

// excluded reports whether all levels of some exclusion were chosen.
func (s *Study) excluded(choices []choice) bool {
	for _, ex := range s.Matrix.Exclude {
		matched := 0
		for _, c := range choices {
			if level, ok := ex[c.factor]; ok && LevelText(level) == LevelText(c.level) {
				matched++
			}
		}
		if matched == len(ex) && matched > 0 {
			return true
		}
	}
	return false
}

// resolve makes the variant of one combination.
func (s *Study) resolve(choices []choice) (Variant, error) {
	v, err := s.base(storageOf(choices))
	if err != nil {
		return v, err
	}
	d := &decoder{source: &source{file: "matrix"}, vocabulary: s.vocabulary}
	for _, c := range choices {
		v.Factors[c.factor] = LevelText(c.level)
		d.set(&v, c.factor, scalarNode(c.level, nil))
	}
	s.dropUnused(&v)
	if err := s.place(&v, v.mounted()...); err != nil {
		return v, err
	}
	level := scalarNode("", nil)
	(&checker{decoder: d, root: level, study: s}).variant(&v, level)
	if len(d.problems) > 0 {
		p := d.problems[0]
		return v, fmt.Errorf("variant %s: %s: %s", s.name(choices), p.Path, strings.TrimSpace(p.Found+" "+p.advice()))
	}
	return v, nil
}

// name joins the levels that vary: "hdd", "hdd-cpu4". The storage is always
// in it.
func (s *Study) name(choices []choice) string {
	leaves := map[string]int{}
	for _, c := range choices {
		leaves[Leaf(c.factor)]++
	}
	var parts []string
	for _, c := range choices {
		if c.factor != storageFactor && !s.varies(c.factor) {
			continue
		}
		label := Leaf(c.factor)
		if leaves[label] > 1 {
			label = strings.NewReplacer(".", "-", "*", "all").Replace(c.factor)
		}
		parts = append(parts, slug(c, label))
	}
	return strings.Join(parts, "-")
}

func (s *Study) varies(factor string) bool {
	for _, f := range s.Matrix.Factors {
		if f.Path == factor {
			return len(f.Levels) > 1
		}
	}
	return false
}

// HasLevels reports whether a variant with some factors has levels, each of a factor that is named by its path or by the
// end of it: operation=read is workload.parameters.operation=read, storage.cpu=4 is storage.*.cpu=4.
func HasLevels(factors, levels map[string]string) bool {
	for factor, level := range levels {
		if !hasLevel(factors, factor, level) {
			return false
		}
	}
	return true
}

func hasLevel(factors map[string]string, factor, level string) bool {
	for path, its := range factors {
		if endsWith(path, factor) && strings.EqualFold(its, level) {
			return true
		}
	}
	return false
}

// endsWith reports whether a path is another one, or ends with it; "*" in either is any part.
func endsWith(path, end string) bool {
	x, y := strings.Split(path, "."), strings.Split(end, ".")
	if len(y) > len(x) {
		x, y = y, x
	}
	for i, part := range y {
		if other := x[len(x)-len(y)+i]; part != other && part != "*" && other != "*" {
			return false
		}
	}
	return true
}

// Leaf is the last element of a path: what a factor or a setting is called.
func Leaf(factor string) string { return factor[strings.LastIndexByte(factor, '.')+1:] }

// engineFactor ends the factors whose levels are names of engines.
const engineFactor = ".name"

// slug is one part of a variant's name, safe in file names everywhere: a
// storage, deployment or engine by its name, a quantity after its factor (cpu4), a word after a
// hyphen (media-nvme), a switch by its name or "no-" and its name.
func slug(c choice, label string) string {
	text := safe(LevelText(c.level))
	label = safe(label)
	switch {
	case c.factor == storageFactor || c.factor == deploymentFactor || strings.HasSuffix(c.factor, engineFactor):
		return text
	case text == "true":
		return label
	case text == "false":
		return "no-" + label
	case text != "" && strings.ContainsAny(text[:1], "0123456789"):
		return label + text
	default:
		return label + "-" + text
	}
}

// safe keeps letters, digits, dots and underscores, in lower case, and puts a
// hyphen for anything else.
func safe(text string) string {
	const longest = 40
	out := strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789._", r) {
			return r
		}
		return '-'
	}, strings.ToLower(text))
	return strings.Trim(out[:min(len(out), longest)], "-.")
}

// unique numbers names that came out alike.
func unique(name string, names map[string]int) string {
	names[name]++
	if n := names[name]; n > 1 {
		return unique(fmt.Sprintf("%s-%d", name, n), names)
	}
	return name
}

// Key identifies the configuration of a storage: two configurations of one name have different
// keys. Variants with the same key share one provisioned storage.
func (s Storage) Key(name string) string {
	text, err := json.Marshal(s)
	if err != nil {
		text = fmt.Append(nil, s)
	}
	sum := sha256.Sum256(append([]byte(name+"\x00"), text...))
	return name + "-" + hex.EncodeToString(sum[:3])
}
