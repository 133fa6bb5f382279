// Package version says which version of Plimsoll this program is.
package version

import "runtime/debug"

// Get is the module's version, with the revision of the checkout that it was built
// from: "v1.2.0", "devel+0123456789ab".
func Get() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" && (v == "" || v == "(devel)") {
			v = "devel+" + setting.Value[:min(12, len(setting.Value))]
		}
	}
	if v == "" {
		v = "devel"
	}
	return v
}
