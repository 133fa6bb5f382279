package command

import (
	"testing"
)

func TestCharacterSetOfTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		all, ctype, lang string
		utf8             bool
	}{
		{"", "", "", true}, // as in containers
		{"", "", "de_DE.UTF-8", true},
		{"", "", "en_US.utf8", true},
		{"C.UTF-8", "", "C", true},
		{"", "C.UTF-8", "C", true},
		{"", "", "en_US", true}, // names no character set
		{"", "", "ca_ES.UTF-8@valencia", true},
		{"C", "", "de_DE.UTF-8", false},
		{"", "POSIX", "de_DE.UTF-8", false},
		{"", "", "C", false},
		{"de_DE.ISO-8859-1", "", "", false},
		{"", "", "uk_UA.KOI8-U", false},
		{"", "", "ja_JP.eucJP", false},
		{"", "", "de_DE@euro", false},
	} {
		env := map[string]string{"LC_ALL": c.all, "LC_CTYPE": c.ctype, "LANG": c.lang}
		if got := NamesUTF8(func(name string) string { return env[name] }); got != c.utf8 {
			t.Errorf("%v: UTF-8 is %v, want %v", env, got, c.utf8)
		}
	}
}
