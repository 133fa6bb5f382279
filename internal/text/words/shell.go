package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shell writes a path as one word of a shell's command that is no option, quoted only
// where it has to be.
func Shell(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	special := func(r rune) bool {
		return r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+:,@%", r)
	}
	if path != "" && !strings.ContainsFunc(path, special) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
