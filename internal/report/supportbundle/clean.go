package supportbundle

import (
	"encoding/json"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"plimsoll/internal/text/sanitize"
)

// hidden stands where a secret was.
const hidden = "***"

// cleaner takes secrets out of texts, and names where that is asked for.
type cleaner struct {
	known []string // secrets, the longest first, in each way in which they are written
	names *names   // nil where they stay
	found int      // secrets that were taken out
}

func newCleaner(o Options) *cleaner {
	c := &cleaner{}
	for _, s := range o.Secrets {
		c.add(s)
	}
	if o.Rename {
		c.names = newNames(o.Hosts)
		c.names.run = o.Name
		c.names.place(o.Dir)
	}
	return c
}

// shortest is the length below which a secret is not searched for by value: it would match
// in every text. It is still found by its key or its form.
const shortest = 4

// add knows one more secret, as JSON, a URL and a form have it, too.
func (c *cleaner) add(secret string) {
	if secret = strings.TrimSpace(secret); len(secret) < shortest {
		return
	}
	quoted, _ := json.Marshal(secret) // a string always can be
	for _, form := range []string{secret, strings.Trim(string(quoted), `"`), url.QueryEscape(secret), url.PathEscape(secret)} {
		if !slices.Contains(c.known, form) {
			c.known = append(c.known, form)
		}
	}
	slices.SortStableFunc(c.known, func(a, b string) int { return len(b) - len(a) })
}

// How keys are called whose values are secrets, and where a key only names a file, a variable or an object.
var (
	secretKey = regexp.MustCompile(`(?i)(password|passwd|passphrase|\bpwd|_pwd|secret|token|api_?key|access_?key|private_?key|credential|authorization|bearer)`)
	namingKey = regexp.MustCompile(`(?i)(_env|_file|file|_name|pull_?secret)$`)
)

func isSecret(key string) bool { return secretKey.MatchString(key) && !namingKey.MatchString(key) }

// learn takes the values of secret keys for secrets wherever they stand, and paths and hosts for
// names.
func (c *cleaner) learn(name string, text []byte) {
	for _, s := range stringsOf(name, text) {
		if isSecret(s.key) {
			c.add(s.value)
		} else if c.names != nil {
			c.names.learn(s.key, s.value)
		}
	}
	if path.Ext(name) == ".yaml" {
		for _, s := range yamlSecrets(text) {
			c.add(s)
		}
	}
}

// texts gives files without secrets.
func (c *cleaner) texts(_ Shapes, files map[string][]byte, _ func(name, why string)) map[string][]byte {
	names, out := sorted(files), map[string][]byte{}
	for _, name := range names {
		c.learn(name, files[name])
	}
	for _, name := range names {
		out[name] = files[name]
		if path.Base(name) != telemetry {
			out[name] = c.clean(name, files[name])
		}
	}
	return out
}

// clean is a file's text as it is packed.
func (c *cleaner) clean(name string, text []byte) []byte {
	switch path.Ext(name) {
	case ".json", ".jsonl":
		return eachString(text, func(key, value string) string {
			if isSecret(key) && value != "" {
				c.found++
				return hidden
			}
			return c.line(value)
		}, c.line)
	case ".yaml":
		return []byte(c.line(hideYAML(string(text), &c.found)))
	}
	return []byte(c.line(string(text)))
}

// line is a text without secrets and, where that is asked for, without names.
func (c *cleaner) line(text string) string {
	before := strings.Count(text, hidden)
	for _, secret := range c.known {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	for _, f := range forms() {
		text = f.ReplaceAllString(text, "${1}"+hidden)
	}
	text = sanitize.Masked(text)
	c.found += max(0, strings.Count(text, hidden)-before)
	if c.names != nil {
		text = c.names.replace(text)
	}
	return text
}

// forms are how texts that are not made of keys and values hold secrets: tokens by how their
// makers begin them, arguments of programs, headers and queries of HTTP, logins of mail,
// variables and settings, SQL, keys in PEM and JSON web tokens.
var forms = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`()\b(?:gh[opsru]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{10,}|xox[a-z]-[\w-]{8,}|hv[brs]\.[\w-]{8,}|AIza[\w-]{20,}|AQ[A-Za-z0-9+/]{30,}==)`),
		regexp.MustCompile(`(\b(?:mysql|mariadb)[\w-]*\s(?:[^\n|;&]*\s)?-p)[^\s"'][^\s]*`),
		regexp.MustCompile(`(\bsshpass\s+-p\s*)[^\s]+`),
		regexp.MustCompile(`(\b(?:curl|wget)\s(?:[^\n|;&]*\s)?(?:-[uU]|--(?:proxy-)?user)[ =]?[^\s:]*:)[^\s]+`),
		regexp.MustCompile(`(?i)(--?(?:pass|pw|key)[ =]["']?)[^\s"',]+`),
		regexp.MustCompile(`(?i)(^|\s)(?:[^\s:]+:\d{2,5}:[^\s:]+:[^\s:]+):[^\s]+`),
		regexp.MustCompile(`(?i)([?&](?:sig|key|code)=)[^\s"'&;]+`),
		regexp.MustCompile(`(?i)(\bkey\s*=\s*)[A-Za-z0-9+/]{20,}=*`),
		regexp.MustCompile(`(\b(?i:basic)\s+)[A-Za-z0-9+/]*[0-9A-Z][A-Za-z0-9+/]{5,}=*`),
		regexp.MustCompile(`(?i)(\bauth(?:enticate)?\s+(?:plain|login|cram-md5|xoauth2)\s+)[^\s"']+`),
		regexp.MustCompile(`(?i)(\b(?:set-)?cookie["']?\s*:\s*["']?)[^\n"']+`),
		regexp.MustCompile(`(?i)(\b\w*headers\s*=\s*["']?)[^\s"']+`),
		regexp.MustCompile(`(?i)(\b(?:\w*_)?(?:pass|pw)\s*=\s*["']?)[^\s"'&;,]+`),
		regexp.MustCompile(`(?i)(\b[\w-]*(?:api[_-]?key|access[_-]?key|auth[_-]?token|key-data)["']?\s*[:=]\s*["']?)[^\s"',;]+`),
		regexp.MustCompile(`(?i)((?:password|passwd|passphrase|pwd|secret|token|api_?key|access_?key|credential)\w*\\"\s*:\s*\\")[^"\\]+`),
		regexp.MustCompile(`(?i)([\w.-]*(?:password|passwd|passphrase|pwd|secret|token|api_?key|access_?key|credential)[\w]*["']?\s*=\s*["']?)[^\s"'&;,]+`),
		regexp.MustCompile(`(?i)(--?[\w-]*(?:password|passwd|passphrase|pwd|secret|token|api-?key|access-?key)[\w-]*[ =]["']?)[^\s"',]+`),
		regexp.MustCompile(`(?i)(\b(?:password|passwort|passwd|passphrase|secret|token|requirepass|bindpw|pw)["']?(?:\s+(?:is|was))?[:\s]\s*["']?)[^\s"',;=:]+`),
		regexp.MustCompile(`(?i)((?:identified\s+by|password|passwd)\s+(?:as\s+)?["'])[^"']*`),
		regexp.MustCompile(`(?i)(authorization["']?\s*[:=]\s*["']?(?:[\w-]+ )?)[^\s"';,]+`),
		regexp.MustCompile(`(?i)(\bbearer )[A-Za-z0-9+/=._~-]{6,}`),
		regexp.MustCompile(`(?i)((?:x-amz-(?:signature|security-token|credential)|x-vault-token|signature)["']?\s*[=:]\s*["']?)[^\s"'&;,]+`),
		regexp.MustCompile(`()-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)`),
		regexp.MustCompile(`()\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b`),
		regexp.MustCompile(`()\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*`),
	}
})

// keyedString is a string with the key that it belongs to.
type keyedString struct{ key, value string }

// stringsOf are the strings of a JSON or YAML text.
func stringsOf(name string, text []byte) (all []keyedString) {
	switch path.Ext(name) {
	case ".json", ".jsonl":
		eachString(text, func(key, value string) string {
			all = append(all, keyedString{key, value})
			return value
		}, func(key string) string { return key })
	case ".yaml":
		for _, l := range yamlLine.FindAllStringSubmatch(string(text), -1) {
			all = append(all, keyedString{l[2], strings.Trim(strings.TrimSpace(l[3]), `"'`)})
		}
	}
	return all
}

// jsonToken is a string of a JSON text, with the colon that makes it a key, a number, or what
// begins and ends lists and objects.
var jsonToken = regexp.MustCompile(`"(?:[^"\\]|\\.)*"(\s*:)?|[{}\[\]]|-?\d[\w.+-]*`)

// eachString changes the values and keys of a JSON text, or of several in lines, and nothing
// else of it. A value in a list has the key of the list, and one below a secret key that key.
func eachString(text []byte, change func(key, value string) string, rename func(key string) string) []byte {
	at := nesting{{}}
	return jsonToken.ReplaceAllFunc(text, func(found []byte) []byte {
		switch found[0] {
		case '{', '[':
			at = append(at, level{key: at.key(), below: at.key()})
			return found
		case '}', ']':
			at = at[:max(1, len(at)-1)]
			return found
		case '"':
			return at.changed(found, change, rename)
		}
		if number := string(found); isSecret(at.key()) && change(at.key(), number) != number {
			return []byte(`"` + hidden + `"`)
		}
		return found
	})
}

// level is a list or an object of a JSON text: the key that was read last, and the one that all of it
// belongs to.
type level struct{ key, below string }

// nesting are the levels that a place of a JSON text is in.
type nesting []level

// key is the one that a value belongs to: a secret one that it is below, or the last.
func (n nesting) key() string {
	if last := n[len(n)-1]; !isSecret(last.below) {
		return last.key
	}
	return n[len(n)-1].below
}

// changed is a string, or a key with its colon, as it is to be.
func (n nesting) changed(found []byte, change func(key, value string) string, rename func(key string) string) []byte {
	colon := jsonToken.FindSubmatch(found)[1]
	var value, changed string
	if json.Unmarshal(found[:len(found)-len(colon)], &value) != nil {
		return append([]byte(`"`+hidden+`"`), colon...) // what cannot be read cannot be looked into
	}
	if len(colon) > 0 {
		n[len(n)-1].key, changed = value, rename(value)
	} else {
		changed = change(n.key(), value)
	}
	if changed == value {
		return found
	}
	out, _ := json.Marshal(changed) // a string always can be
	return append(out, colon...)
}

// yamlLine is a key and its value in a line of YAML, in a mapping of any style.
var yamlLine = regexp.MustCompile(`(?m)(^|[{,\s-])["']?([\w.-]+)["']?:[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\n,}{\[\]#]+)`)

// secretLine is a key in a line of its own with a value that may go on in the lines below.
var secretLine = regexp.MustCompile(`^(\s*(?:- )?)["']?([\w.-]+)["']?:\s*(.*)$`)

// hideYAML takes the values of secret keys out of a YAML text, with the lines that they go on in.
func hideYAML(text string, found *int) string {
	var out []string
	below := -1 // the indent of a secret key whose value goes on
	for line := range strings.SplitSeq(text, "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if item := strings.HasPrefix(strings.TrimSpace(line), "- ") && indent == below; below >= 0 && (strings.TrimSpace(line) == "" || indent > below || item) {
			continue
		}
		below = -1
		if l := secretLine.FindStringSubmatch(line); l != nil && isSecret(l[2]) {
			*found++
			out, below = append(out, l[1]+l[2]+": "+hidden), len(l[1])
			continue
		}
		out = append(out, yamlLine.ReplaceAllStringFunc(line, func(part string) string {
			l := yamlLine.FindStringSubmatch(part)
			if !isSecret(l[2]) {
				return part
			}
			*found++
			return strings.TrimSuffix(part, l[3]) + hidden
		}))
	}
	return strings.Join(out, "\n")
}

// SecretsIn are the values of secret keys of a JSON text.
func SecretsIn(text []byte) (all []string) {
	for _, s := range stringsOf(".json", text) {
		if isSecret(s.key) {
			all = append(all, s.value)
		}
	}
	return all
}

// SecretsNamed are the variables of the environment and the files that a JSON text names as places
// of secrets: password_env, access_key_env, password_file, keys_file.
func SecretsNamed(text []byte) (variables, files []string) {
	for _, s := range stringsOf(".json", text) {
		switch key := strings.ToLower(s.key); {
		case s.value == "":
		case strings.HasSuffix(key, "_env"):
			variables = append(variables, s.value)
		case key == "keys_file" || strings.HasSuffix(key, "_file") && secretKey.MatchString(key):
			files = append(files, s.value)
		}
	}
	return variables, files
}
