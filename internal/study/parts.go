package study

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"plimsoll/internal/text/unit"
)

// The parts of a study whose YAML differs from their type: those with
// parameters of a kind that the vocabulary knows, and those with a short form.

func (d *decoder) workload(n *node, into *Workload, path string) {
	if n.form != mapping {
		d.mismatch(n, reflect.TypeFor[Workload](), path)
		return
	}
	into.Parameters = nil
	d.fields(without(n, "parameters"), reflect.ValueOf(into).Elem(), path, nil)
	kind, known := d.vocabulary.Workloads[into.Name]
	switch name := n.get("name"); {
	case d.misread[name]:
	case name == nil:
		d.problem(n, path, "the workload has no name", "name: one of "+strings.Join(sortedKeys(d.vocabulary.Workloads), ", "))
	case !known:
		d.near(name, join(path, "name"), fmt.Sprintf("unknown workload %q", into.Name), into.Name, sortedKeys(d.vocabulary.Workloads))
	default:
		into.Parameters = d.parameters(n.get("parameters"), kind, join(path, "parameters"), nil)
	}
}

// platform takes a name, or a mapping of the name and the platform's parameters.
func (d *decoder) platform(n *node, into *Platform, path string) {
	name := n
	if n.form == mapping {
		name = n.get("name")
	}
	known := sortedKeys(d.vocabulary.Platforms)
	if name == nil || name.form != plain && name.form != quoted {
		d.problem(n, path, "the platform has no name", "one of "+strings.Join(known, ", ")+", alone or as name: with its parameters")
		return
	}
	into.Name = name.text
	kind, ok := d.vocabulary.Platforms[into.Name]
	if !ok {
		d.near(name, path, fmt.Sprintf("unknown platform %q", into.Name), into.Name, known)
		return
	}
	parameters := n
	if n.form != mapping {
		parameters = nil
	}
	into.Parameters = d.parameters(parameters, kind, path, []string{"name"})
}

// parameters decodes a kind's own parameters over its defaults and has them
// validated.
func (d *decoder) parameters(n *node, kind VocabularyEntry, path string, reserved []string) any {
	value := kind.Defaults()
	if n == nil {
		n = &node{form: mapping, line: 1, column: 1}
	}
	if n.form == empty {
		n = &node{form: mapping, line: n.line, column: n.column}
	}
	if n.form != mapping {
		d.mismatch(n, reflect.TypeOf(value), path)
		return value
	}
	before := len(d.problems)
	d.fields(n, reflect.ValueOf(value).Elem(), path, reserved)
	if len(d.problems) == before {
		d.invalid(n, kind, value, path)
	}
	return value
}

// invalid notes what a kind finds wrong with its parameters.
func (d *decoder) invalid(n *node, kind VocabularyEntry, value any, path string) {
	if kind.Validate == nil {
		return
	}
	for _, e := range kind.Validate(value) {
		d.problem(n.at(e.Path), join(path, e.Path), e.Text, "")
	}
}

func (d *decoder) storage(n *node, into *Storage, path string) {
	if n.form != mapping {
		d.problem(n, path, "found "+n.describe(), "class: and its parameters")
		return
	}
	*into = Storage{}
	d.storageNames(n, into, path)
	class := n.get("class")
	classes := sortedKeys(d.vocabulary.Classes)
	if class == nil {
		d.problem(n, path, "the storage has no class", "class: one of "+strings.Join(classes, ", "))
		return
	}
	d.value(class, reflect.ValueOf(&into.Class).Elem(), join(path, "class"))
	if d.misread[class] {
		return
	}
	kind, known := d.vocabulary.Classes[into.Class]
	if !known {
		d.near(class, join(path, "class"), fmt.Sprintf("unknown storage class %q", into.Class), into.Class, classes)
		return
	}
	into.Parameters = d.parameters(n, kind, path, []string{"class", "label", "otherwise", "name"})
}

// longestLabel is what a chart and a column have room for.
const longestLabel = 40

// storageNames reads the fields that every class has.
func (d *decoder) storageNames(n *node, into *Storage, path string) {
	if name := n.get("name"); name != nil {
		if !strings.HasSuffix(path, ".otherwise") {
			d.problem(name, join(path, "name"), "the key is the name of the storage", "name: only inside otherwise:")
		}
		d.value(name, reflect.ValueOf(&into.Rename).Elem(), join(path, "name"))
	}
	if label := n.get("label"); label != nil {
		d.value(label, reflect.ValueOf(&into.Label).Elem(), join(path, "label"))
		if len(into.Label) > longestLabel || strings.ContainsFunc(into.Label, unicode.IsControl) {
			d.problem(label, join(path, "label"), "it does not fit into a chart", fmt.Sprintf("one line of at most %d characters", longestLabel))
		}
	}
	if otherwise := n.get("otherwise"); otherwise != nil {
		into.Otherwise = &Storage{}
		d.value(otherwise, reflect.ValueOf(into.Otherwise).Elem(), join(path, "otherwise"))
	}
}

func (d *decoder) matrix(n *node, into *Matrix, path string) {
	if n.form != mapping {
		d.problem(n, path, "found "+n.describe(), "factors and their levels, such as engine.cpu: [1, 2]")
		return
	}
	into.Factors, into.Exclude = nil, nil
	for _, f := range n.fields {
		if f.key == "exclude" {
			d.value(f.value, reflect.ValueOf(&into.Exclude).Elem(), join(path, f.key))
			continue
		}
		factor := Factor{Path: f.key}
		d.value(f.value, reflect.ValueOf(&factor.Levels).Elem(), join(path, f.key))
		into.Factors = append(into.Factors, factor)
	}
}

// Defaults of a search for the load line.
const (
	autoFrom      = 1
	autoTo        = 128
	autoPrecision = 0 // a tenth of the line
	autoBudget    = 16
)

const ladderExpected = "counts such as [1, 2, 8], or auto, or both with of: users or alone: true, or {auto: {rungs: [1, 2, 8]}}"

func (d *decoder) ladder(n *node, into *Ladder, path string) {
	*into = Ladder{}
	automatic := Ladder{Auto: true, From: autoFrom, To: autoTo, Precision: autoPrecision, Budget: autoBudget}
	switch {
	case n.form == sequence:
		d.value(n, reflect.ValueOf(&into.Rungs).Elem(), path)
	case n.form == plain && n.text == "auto":
		*into = automatic
	case n.form == mapping && len(n.fields) > 0:
		if n.get("auto") != nil {
			*into = automatic
		}
		d.search(n, into, path)
	default:
		d.problem(n, path, "found "+n.describe(), ladderExpected)
	}
}

func (d *decoder) search(n *node, into *Ladder, path string) {
	bounds := struct {
		Of    *string `yaml:"of"`
		Rungs *[]int  `yaml:"rungs"`
		Alone *bool   `yaml:"alone"`
		Auto  struct {
			From      *int           `yaml:"from"`
			To        *int           `yaml:"to"`
			Precision *int           `yaml:"precision"`
			Budget    *int           `yaml:"budget"`
			Within    *unit.Duration `yaml:"within"`
			Rungs     *[]int         `yaml:"rungs"`
		} `yaml:"auto"`
	}{}
	var climbed []int
	bounds.Of, bounds.Rungs, bounds.Alone = &into.Of, &into.Rungs, &into.Alone
	a := &bounds.Auto
	a.From, a.To, a.Precision, a.Budget, a.Within, a.Rungs = &into.From, &into.To, &into.Precision, &into.Budget, &into.Within, &climbed
	d.structure(n, reflect.ValueOf(&bounds).Elem(), path)
	if len(climbed) > 0 && len(into.Rungs) == 0 {
		into.Rungs, into.From, into.To = climbed, climbed[0], climbed[len(climbed)-1]
	}
}

func (d *decoder) objective(n *node, into *Objective, path string) {
	if n.form != plain && n.form != quoted {
		d.mismatch(n, reflect.TypeFor[Objective](), path)
		return
	}
	o, err := ParseObjective(n.text)
	if err != nil {
		d.unreadable(n, path, err.(*unit.Error)) //nolint:errorlint // it gives no other
	}
	*into = o
}

const objectiveExpected = `a limit such as "p95 <= 200ms", "mean <= 1s", "errors <= 0.1%", "rate >= 99%", "au >= 90%", "growth >= 0%" or "read p99 <= 2s"`

var objectiveMetrics = []string{"mean", "p50", "p90", "p95", "p99", "p99.9", "max", "errors", "rolledback"}

// ParseObjective reads a limit such as "p95 <= 200ms", "purchase p99 <= 2s" or
// "rate >= 99%".
func ParseObjective(text string) (Objective, error) {
	o := Objective{Text: strings.TrimSpace(text)}
	if name, least, ok := strings.Cut(strings.ReplaceAll(text, "≥", ">="), ">="); ok {
		switch name = strings.TrimSpace(name); {
		case name == rateKept:
			return o.atLeast(Undone, least)
		case name == grown:
			return o.growth(least)
		case metricName.MatchString(name) && !contains(objectiveMetrics, name) && isPercentage(least):
			o.Operation = name // until the workload says whose time it is
			return o.atLeast(Idle, least)
		}
	}
	if parts := conjunction(text); len(parts) > 1 {
		return o, severalObjectives(text, parts)
	}
	left, limit, ok := strings.Cut(strings.ReplaceAll(text, "≤", "<="), "<=")
	words := strings.Fields(left)
	if !ok || len(words) < 1 || len(words) > 2 {
		return o, &unit.Error{Found: fmt.Sprintf("%q is not an objective", text), Expected: objectiveExpected, Suggestion: suggestObjective(text)}
	}
	o.Metric = words[len(words)-1]
	if len(words) == 2 {
		o.Operation = words[0]
	}
	if !contains(objectiveMetrics, o.Metric) {
		return o, notUnderstood(fmt.Sprintf("unknown metric %q", o.Metric), "one of "+strings.Join(objectiveMetrics, ", "), suggestMetric(o.Metric))
	}
	value, err := o.limit(strings.TrimSpace(limit))
	o.Limit = value
	if err != nil {
		return o, err
	}
	return o, nil
}

// rateKept is what Undone is written as, the other way round.
const rateKept = "rate"

// grown is what Decline is written as, the other way round.
const grown = "growth"

// growth reads the least growth from fewer instances: 0 or a decline.
func (o Objective) growth(least string) (Objective, error) {
	decline, err := parseShare(strings.TrimPrefix(strings.NewReplacer("−", "-", " ", "").Replace(least), "-"))
	if err == nil && decline > 0 && !strings.ContainsAny(least, "-−") {
		err = &unit.Error{Found: "no ladder grows for ever", Expected: "growth >= 0%, or what throughput may decline by, such as growth >= -5%"}
	}
	o.Metric, o.Limit = Decline, decline
	return o, err
}

// metricName matches the name of a metric that a workload may declare.
var metricName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// isPercentage reports whether a text is a number, with a percent sign or where one is missing.
func isPercentage(text string) bool {
	return unit.IsDecimal(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "%")))
}

// atLeast reads a minimum share as an objective that limits its complement.
func (o Objective) atLeast(metric, least string) (Objective, error) {
	share, err := parseShare(strings.TrimSpace(least))
	if err == nil && share == 0 {
		err = &unit.Error{Found: "any share is 0% or more", Expected: "a percentage above 0, such as 99%"}
	}
	const digits = 1e12 // 1 − 0.9 is less than 0.1 in binary, and exactly 90 % keeps the objective
	o.Metric, o.Limit = metric, math.Round((1-share)*digits)/digits
	return o, err
}

// and parts objectives that were written as one.
var and = regexp.MustCompile(`(?i)\s+and\s+|,\s+|\s*(?:&&|[;&\n])\s*`)

// conjunction splits a text into objectives. An objective without a limit takes the next
// one's: "p95 and p99 <= 1s".
func conjunction(text string) (parts []string) {
	all := and.Split(text, -1)
	limit := ""
	for _, part := range slices.Backward(all) {
		if at := strings.IndexAny(part, "<>=≤≥"); at >= 0 {
			limit = part[at:]
		} else {
			part += " " + limit
		}
		parts = append(parts, part)
	}
	slices.Reverse(parts)
	return parts
}

// severalObjectives says that a text is several objectives, if it is.
func severalObjectives(text string, parts []string) error {
	var items []string
	for _, part := range parts {
		item := strconv.Quote(strings.TrimSpace(part))
		if _, err := ParseObjective(part); err != nil {
			item = suggestObjective(part)
		}
		if item == "" || strings.Contains(item, " or ") {
			return &unit.Error{Found: fmt.Sprintf("%q is not an objective", text), Expected: objectiveExpected}
		}
		items = append(items, item)
	}
	return notUnderstood(fmt.Sprintf("%q is %d objectives", text, len(items)), "each as an item of its own", "["+strings.Join(items, ", ")+"]")
}

// otherMetrics are names that people have for the metrics of objectives.
var otherMetrics = map[string]string{"avg": "mean", "average": "mean", "median": "p50", "p100": "max", "maximum": "max", "p999": "p99.9", "error": "errors", "err": "errors", "rollbacks": "rolledback"}

// suggestMetric guesses a metric. Of another percentile there is nothing to guess: p80
// is not a slip for p90.
func suggestMetric(name string) string {
	if other := otherMetrics[strings.ToLower(name)]; other != "" {
		return strconv.Quote(other)
	}
	lower := strings.ToLower(name)
	if v, err := strconv.ParseFloat(strings.TrimPrefix(lower, "p"), 64); err == nil && v < 100 && !contains(objectiveMetrics, lower) {
		return ""
	}
	return Nearest(name, objectiveMetrics)
}

// suggestObjective guesses when only the sign, or also the unit, is missing.
func suggestObjective(text string) string {
	if strings.Contains(text, "<=") {
		return ""
	}
	for _, sign := range []string{"=<", "<", "==", ">=", ">", "=", ":"} {
		left, right, ok := strings.Cut(text, sign)
		if !ok {
			continue
		}
		guess := strings.TrimSpace(left) + " <= " + strings.TrimSpace(right)
		_, err := ParseObjective(guess)
		if err == nil {
			return strconv.Quote(guess)
		}
		var wrong *unit.Error
		number := strings.TrimSpace(right)
		if !errors.As(err, &wrong) || !unit.IsDecimal(number) || !strings.Contains(wrong.Suggestion, number) {
			continue
		}
		left = strings.TrimSpace(left) + " <= "
		if _, err := ParseObjective(left + number + "%"); err == nil {
			return strconv.Quote(left + number + "%")
		}
		if v, _ := strconv.ParseFloat(number, 64); v >= 10 { // it is decimal
			return strconv.Quote(left + number + "ms")
		}
		return strconv.Quote(left+number+"s") + " or " + strconv.Quote(left+number+"ms")
	}
	return ""
}

// limit reads a share for errors and rolledback, and a time for the rest.
func (o Objective) limit(text string) (float64, error) {
	if o.IsShare() {
		return parseShare(text)
	}
	var limit unit.Duration
	if err := limit.UnmarshalText([]byte(text)); err != nil {
		return 0, err
	}
	if limit == 0 {
		return 0, &unit.Error{Found: "no response time can be 0", Expected: "a limit above 0"}
	}
	return limit.D().Seconds(), nil
}

// parseShare reads a percentage. A bare number is refused, since 1 could mean
// 1 % as well as everything; only 0 is the same in both.
func parseShare(text string) (float64, error) {
	const expected = "a percentage such as 5%"
	if slip := percentage.FindStringSubmatch(text); slip != nil {
		return 0, notUnderstood(fmt.Sprintf("%q is not a percentage", text), expected, strconv.Quote(unit.WithPoint(slip[1]+slip[2])+"%"))
	}
	number, percent := strings.CutSuffix(text, "%")
	number = strings.TrimSpace(number)
	value, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil || !unit.IsDecimal(number) || value > 100:
		return 0, &unit.Error{Found: fmt.Sprintf("%q is not a percentage", text), Expected: expected}
	case !percent && value != 0:
		return 0, &unit.Error{Found: fmt.Sprintf("%q has no percent sign", text), Expected: expected, Suggestion: suggestShare(number, value)}
	}
	return value / 100, nil
}

// percentage matches what was meant as a percentage and is not written as one: "1 percent",
// "0,1%".
var percentage = regexp.MustCompile(`(?i)^([0-9.,]+)\s*(?:percent|per cent|pct|pc)$|^(\d+,\d+)\s*%$`)

func suggestShare(number string, value float64) string {
	if value >= 1 {
		return strconv.Quote(number + "%")
	}
	return fmt.Sprintf("%q or %q", strconv.FormatFloat(100*value, 'g', 6, 64)+"%", number+"%")
}

// String prints the objective as written.
func (o Objective) String() string { return o.Text }

// without is a mapping less one field, in the same place.
func without(n *node, key string) *node {
	out := *n
	out.fields = nil
	for _, f := range n.fields {
		if f.key != key {
			out.fields = append(out.fields, f)
		}
	}
	return &out
}

// notUnderstood is a text that cannot be read, with what was probably meant.
func notUnderstood(found, expected, suggestion string) error {
	return &unit.Error{Found: found, Expected: expected, Suggestion: suggestion}
}
