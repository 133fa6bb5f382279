package sanitize

import (
	"regexp"
	"strings"
)

// How texts hold secrets: in a URL's user (RFC 3986, section 3.2.1, also where it is
// written with characters that it may not have), in a user before a server, as MySQL's
// drivers have it, and in a parameter of a connection string or a query.
var (
	urlUser    = regexp.MustCompile(`(?i)([a-z][a-z0-9+.-]*://?)(?:[^\s"'<>]*@|[^\s"'<>/@:]*:[^"'<>\n@]*@)`)
	serverUser = regexp.MustCompile(`[^\s"'<>/:=(]+:[^\s"'<>]*@(sha256:)?`)
	parameter  = regexp.MustCompile(`(?i)\b((?:ssl)?(?:password|passwd|passphrase|pwd|secret|token|api_?key|access_?key)["']?\s*=\s*)("[^"]*"|'(?:[^'\\]|\\.)*'|[^\s&;,"']+)`)
)

// Masked is a text without the passwords in its URLs, addresses and connection strings:
// what messages may repeat of what users wrote.
func Masked(text string) string {
	text = urlUser.ReplaceAllString(text, `$1***@`)
	text = serverUser.ReplaceAllStringFunc(text, func(found string) string {
		if strings.HasSuffix(found, "@sha256:") || strings.HasSuffix(found, "***@") {
			return found // an image by its digest
		}
		return "***@"
	})
	return parameter.ReplaceAllString(text, `$1***`)
}
