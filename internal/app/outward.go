package app

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/study"
)

// OutwardSettings lists the settings of a product that reach outside an instance. They are refused
// by their name and value alone, before a server reads them, and also where there is no
// server to ask.
type OutwardSettings struct {
	// Owned are settings without which a server would not be found, or not be alone.
	Owned []string
	// Powers are settings that run programs, load code or switch protection off.
	Powers []string
	// Libraries are settings that load code from the product's own directory, by plain
	// names.
	Libraries []string
	// Plain brings a name into the form that it has in these lists; nil leaves it.
	Plain func(name string) string
	// Abbreviated reports that the product accepts the beginning of a setting's name, too.
	// Whole are complete names that are also the beginning of another's.
	Abbreviated bool
	Whole       []string
}

// settingName matches the names of settings. Anything else could be a line of its own in a
// configuration.
var settingName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

var libraryNames = regexp.MustCompile(`^[\w ,"-]*$`)

// Refuse judges one setting; nil when it stays within the instance.
func (o OutwardSettings) Refuse(name, value string) *describe.Problem {
	if !settingName.MatchString(name) {
		return &describe.Problem{Text: fmt.Sprintf("%q is not the name of a setting", name), Hint: "use letters, digits, points, hyphens and underscores"}
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return &describe.Problem{Text: "the value has a control character, such as the end of a line", Hint: "leave it out"}
	}
	switch {
	case o.has(o.Owned, name):
		return OwnedSetting(name)
	case o.has(o.Powers, name):
		return &describe.Problem{Text: name + " runs programs, loads code or switches protection off, which a study may not", Hint: "remove it"}
	case o.has(o.Libraries, name) && !libraryNames.MatchString(value):
		return &describe.Problem{Text: fmt.Sprintf("%q does not name libraries of the product's own", value), Hint: "name them without a directory"}
	}
	if path := study.Elsewhere(withoutOwn.Replace(value)); path != "" {
		return &describe.Problem{
			Text: fmt.Sprintf("%q lies outside the directories of the instance, which a study may not name", path),
			Hint: "name a file relative to the instance's own directory, or remove the setting",
		}
	}
	return nil
}

// withoutOwn takes the directories of the instance from paths.
var withoutOwn = strings.NewReplacer("${VOLUME}/", "", "${RUNTIME}/", "")

func (o OutwardSettings) has(names []string, name string) bool {
	name = strings.ToLower(name)
	if o.Plain != nil {
		name = o.Plain(name)
	}
	const shortest = 3 // shorter ones could be many settings, and are refused as that
	return slices.ContainsFunc(names, func(known string) bool {
		if pattern, ok := strings.CutSuffix(known, "*"); ok {
			return strings.HasPrefix(name, pattern)
		}
		return known == name || o.Abbreviated && len(name) >= shortest && strings.HasPrefix(known, name) && !slices.Contains(o.Whole, name)
	})
}

// RefuseAll judges all settings of a study.
func (o OutwardSettings) RefuseAll(settings map[string]string) (all []describe.Problem) {
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if problem := o.Refuse(name, settings[name]); problem != nil {
			problem.Path = "settings." + name
			all = append(all, *problem)
		}
	}
	return all
}
