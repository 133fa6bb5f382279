package setup

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/study"
)

// Settings lists every setting that shaped the results, defaults included, but not
// parameters without effect. Published results have none.
func (s *Subject) Settings() []model.Setting {
	if s.Any(trial.Published) || s.Run.Plan == nil && len(s.Run.Trials) == 0 {
		return nil
	}
	all := s.Variants()
	each := make([]map[string]string, len(all))
	names := map[string]bool{}
	for i, v := range all {
		each[i] = variantSettings(v)
		for _, key := range s.profile(v.Name).Unused {
			delete(each[i], "workload.parameters."+key)
		}
		for name := range each[i] {
			names[name] = true
		}
	}
	var out []model.Setting
	for _, name := range stats.SortedKeys(names) {
		out = append(out, settingOf(name, all, each))
	}
	return append(out, s.trialSettings()...)
}

// profile is what the workload of a variant says of itself.
func (s *Subject) profile(variant string) describe.Profile {
	for _, t := range s.Run.Trials {
		if t.Variant.Name == variant && t.Profile.Unit.Complete() {
			return t.Profile
		}
	}
	if s.Run.Plan == nil {
		return describe.Profile{}
	}
	return s.Run.Plan.Facts[variant].Profile
}

func settingOf(name string, all []study.Variant, each []map[string]string) model.Setting {
	set := model.Setting{Name: name, ByVariant: map[string]string{}}
	same := true
	for i, v := range all {
		value, has := each[i][name]
		same = same && has && value == each[0][name]
		if has {
			set.ByVariant[v.Name] = value
		}
	}
	if same {
		set.Value, set.ByVariant = each[0][name], nil
		return set
	}
	set.Values = valuesOf(set.ByVariant, all)
	return set
}

// valuesOf names the variants of each value.
func valuesOf(by map[string]string, all []study.Variant) (out []model.SettingValue) {
	for _, v := range all {
		value, has := by[v.Name]
		if has && !slices.ContainsFunc(out, func(before model.SettingValue) bool { return before.Value == value }) {
			which := whichOf(all, func(v study.Variant) bool { return by[v.Name] == value })
			if len(which) == 1 && which[0] == value {
				which = nil
			}
			out = append(out, model.SettingValue{Value: value, Which: which})
		}
	}
	return out
}

// whichOf names the variants that are in, by the fewest levels of one factor that only
// they have, or else each by its name.
func whichOf(all []study.Variant, in func(study.Variant) bool) []string {
	var fewest []string
	for _, path := range factorOrder(all) {
		if levels := onlyOf(path, all, in); len(levels) > 0 && (fewest == nil || len(levels) < len(fewest)) {
			fewest = levels
		}
	}
	if fewest == nil {
		for _, v := range all {
			if in(v) {
				fewest = append(fewest, v.Name)
			}
		}
	}
	return fewest
}

// onlyOf are the labels of the levels of a factor that the variants which are in have;
// none if others have one of them too.
func onlyOf(path string, all []study.Variant, in func(study.Variant) bool) []string {
	inside, outside := model.Factor{Path: path}, model.Factor{Path: path}
	for _, v := range all {
		if _, has := v.Factors[path]; !has {
			return nil
		}
		if in(v) {
			addLevel(&inside, v)
		} else {
			addLevel(&outside, v)
		}
	}
	if slices.ContainsFunc(inside.Levels, func(l model.Level) bool { return slices.Contains(outside.Levels, l) }) {
		return nil
	}
	labels := make([]string, len(inside.Levels))
	for i, l := range inside.Levels {
		labels[i] = l.Label
	}
	return labels
}

// variantSettings are a variant's settings by dotted name.
func variantSettings(v study.Variant) map[string]string {
	out := map[string]string{}
	for name, part := range map[string]any{"engine": v.Engine, "stack": v.Stack, "workload": v.Workload, "load": v.Load, "storage": v.Storage(), DeploymentPath: v.Deployment} {
		Flatten(name, part, out)
	}
	dropUnset(out)
	for name, value := range out { // written flat in a study
		if flat := strings.Replace(name, "storage.parameters.", "storage.", 1); flat != name {
			delete(out, name)
			out[flat] = value
		}
	}
	return out
}

// trialSettings are those that all variants share by nature.
func (s *Subject) trialSettings() []model.Setting {
	flat := map[string]string{}
	Flatten("phases", s.Study.Phases, flat)
	Flatten("repetitions", s.Study.Repetitions, flat)
	Flatten("seed", s.Study.Seed, flat)
	for _, l := range s.Study.AllEvents() {
		Flatten(l.List+"."+strconv.Itoa(l.Index+1), l.Event, flat)
	}
	dropUnset(flat)
	var out []model.Setting
	for _, name := range stats.SortedKeys(flat) {
		out = append(out, model.Setting{Name: name, Value: flat[name]})
	}
	return out
}

// dropUnset removes empty settings.
func dropUnset(settings map[string]string) {
	for name, value := range settings {
		if slices.Contains([]string{"", "0", "0s", "0B", "false"}, value) {
			delete(settings, name)
		}
	}
}

// Flatten writes the settings of a value under dotted paths.
func Flatten(path string, value any, out map[string]string) {
	data, err := json.Marshal(value)
	var plain any
	if err != nil || json.Unmarshal(data, &plain) != nil {
		return // nothing that a run holds fails here
	}
	flattenPlain(path, plain, out)
}

func flattenPlain(path string, value any, out map[string]string) {
	fields, ok := value.(map[string]any)
	if !ok {
		if value != nil {
			out[path] = settingText(value)
		}
		return
	}
	for key, v := range fields {
		below := key
		if path != "" {
			below = path + "." + key
		}
		flattenPlain(below, v, out)
	}
}

// settingText writes a setting as a study would.
func settingText(value any) string {
	if n, ok := value.(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}
