package describe

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// Bounds reports every value of a struct of parameters, given by a pointer, that its field's tags forbid, by its key in
// YAML. The tags are the only place where a bound stands: the schema of studies and the
// documentation have it from there.
//
//	jsonschema:"minimum=1,maximum=64"  a number (also exclusiveMinimum and exclusiveMaximum)
//	jsonschema:"enum=a,enum=b"         a word
//	bounds:"4KiB..1GiB" multiple:"4KiB"  a size or a time; either end may be missing, and a
//	                                   lower end as in ">0s.." is not allowed itself
//
// A field whose tag for JSON has omitempty may be left out.
func Bounds(parameters any) (wrong Problems) {
	v := reflect.Indirect(reflect.ValueOf(parameters))
	for _, f := range boundsOf(v.Type()) {
		value := v.Field(f.index)
		if f.optional && value.IsZero() {
			continue
		}
		if text := f.bound.refuses(value); text != "" {
			wrong.Add(f.key, "%s", text)
		}
	}
	return wrong
}

// Range describes in words what the tags of a size or a time allow; empty where they allow all.
func Range(tag reflect.StructTag) string {
	low, high := ends(tag.Get("bounds"))
	text := ""
	switch {
	case low != "" && high != "":
		text = strings.Replace(low, ">", "more than ", 1) + " to " + high
	case high != "":
		text = "at most " + high
	case strings.HasPrefix(low, ">"):
		text = "more than " + low[1:]
	case low != "":
		text = "at least " + low
	}
	if each := tag.Get("multiple"); each != "" {
		text = strings.TrimPrefix(text+", a multiple of "+each, ", ")
	}
	return text
}

func ends(bounds string) (low, high string) {
	low, high, _ = strings.Cut(bounds, "..")
	return low, high
}

// boundedField is a field and what it allows.
type boundedField struct {
	index    int
	key      string
	optional bool
	bound    bound
}

// bound is what a field allows.
type bound struct {
	least, most float64 // infinite where there is none
	open, ajar  bool    // the least, and the most, are not allowed themselves
	multiple    float64
	words       []string
	rangeText   string
}

// refuses says what is wrong with a value; nothing where it is allowed.
func (b bound) refuses(v reflect.Value) string {
	var n float64
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n = float64(v.Int())
	case reflect.Float32, reflect.Float64:
		n = v.Float()
	case reflect.String:
		for _, word := range b.words {
			if v.String() == word {
				return ""
			}
		}
		if len(b.words) > 0 {
			return fmt.Sprintf("must be %s, got %q", strings.Join(b.words, " or "), v)
		}
		return ""
	default:
		return ""
	}
	above := n > b.least || n == b.least && !b.open
	below := n < b.most || n == b.most && !b.ajar
	if above && below && (b.multiple == 0 || math.Mod(n, b.multiple) == 0) {
		return ""
	}
	return fmt.Sprintf("must be %s, got %s", b.rangeText, exactly(v))
}

// exactly is a value as a study would have it.
func exactly(v reflect.Value) string {
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		if text, err := m.MarshalText(); err == nil {
			return string(text)
		}
	}
	return fmt.Sprint(v)
}

var boundsCache sync.Map // of types

func boundsOf(t reflect.Type) []boundedField {
	if have, ok := boundsCache.Load(t); ok {
		return have.([]boundedField)
	}
	var all []boundedField
	for i := range t.NumField() {
		f := t.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if !f.IsExported() || key == "-" {
			continue
		}
		all = append(all, boundedField{i, key, strings.Contains(f.Tag.Get("json"), ",omitempty"), boundOf(f)})
	}
	boundsCache.Store(t, all)
	return all
}

// boundOf reads the tags of a field. They are part of the program, so a mistake panics.
func boundOf(f reflect.StructField) bound {
	b := bound{least: math.Inf(-1), most: math.Inf(1), rangeText: Range(f.Tag)}
	for _, part := range strings.Split(f.Tag.Get("jsonschema"), ",") {
		name, text, _ := strings.Cut(part, "=")
		switch name {
		case "enum":
			b.words = append(b.words, text)
		case "minimum":
			b.least = mustNumber(f, text)
		case "maximum":
			b.most = mustNumber(f, text)
		case "exclusiveMinimum":
			b.least, b.open = mustNumber(f, text), true
		case "exclusiveMaximum":
			b.most, b.ajar = mustNumber(f, text), true
		}
	}
	if b.rangeText == "" {
		b.rangeText = b.inNumbers()
	}
	low, high := ends(f.Tag.Get("bounds"))
	if bare := strings.TrimPrefix(low, ">"); bare != "" {
		b.least, b.open = mustText(f, bare), bare != low
	}
	if high != "" {
		b.most = mustText(f, high)
	}
	if each := f.Tag.Get("multiple"); each != "" {
		b.multiple = mustText(f, each)
	}
	return b
}

// inNumbers describes bounds of a number.
func (b bound) inNumbers() string {
	number := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	low, high := "at least "+number(b.least), "at most "+number(b.most)
	if b.open {
		low = "above " + number(b.least)
	}
	if b.ajar {
		high = "below " + number(b.most)
	}
	switch {
	case math.IsInf(b.most, 1):
		return low
	case math.IsInf(b.least, -1):
		return high
	case b.open || b.ajar:
		return low + " and " + high
	}
	return number(b.least) + " to " + number(b.most)
}

func mustNumber(f reflect.StructField, text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("a bound of field %s is %q, which is no number", f.Name, text))
	}
	return n
}

// mustText reads a bound as the field's own text.
func mustText(f reflect.StructField, text string) float64 {
	v := reflect.New(f.Type)
	u, ok := v.Interface().(encoding.TextUnmarshaler)
	if !ok || u.UnmarshalText([]byte(text)) != nil {
		panic(fmt.Sprintf("a bound of field %s is %q, which it cannot be set to", f.Name, text))
	}
	if e := v.Elem(); e.CanFloat() {
		return e.Float()
	}
	return float64(v.Elem().Int())
}
