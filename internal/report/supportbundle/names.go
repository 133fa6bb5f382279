package supportbundle

import (
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

// names gives each path, host and address another one, the same wherever it stands.
type names struct {
	run   string            // the run's name
	words map[string]string // replacements of parts of paths, hosts and addresses
	kinds map[string]int    // how many of each kind there are
	hosts []string          // known ones, the longest first
	paths []string          // known ones that have blanks, the longest first
}

func newNames(hosts []string) *names {
	n := &names{words: map[string]string{}, kinds: map[string]int{}}
	for _, h := range hosts {
		n.host(h)
	}
	return n
}

// place knows a path, which texts may have with blanks in it.
func (n *names) place(path string) {
	if strings.Contains(path, " ") && !slices.Contains(n.paths, path) {
		n.paths = append(n.paths, path)
		longestFirst(n.paths)
	}
}

// ordinary are names of hosts that say nothing.
var ordinary = []string{"", "local", "localhost", "localhost.localdomain", "driver", "storage", "application"}

func (n *names) host(name string) {
	if slices.Contains(ordinary, strings.ToLower(name)) || len(name) < 2 || slices.Contains(n.hosts, name) {
		return
	}
	n.hosts = append(n.hosts, name)
	longestFirst(n.hosts)
	if short, _, long := strings.Cut(name, "."); long && netipOf(name) == nil {
		n.host(short)
	}
}

func longestFirst(all []string) {
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) })
}

// hostKeys are keys of results whose values are hosts.
var hostKeys = []string{"hostname", "host", "machine", "server", "node", "servers", "target", "address", "endpoint", "endpoints", "hosts"}

// learn takes hosts and paths from a value of a file.
func (n *names) learn(key, value string) {
	if strings.HasPrefix(value, "/") && !strings.ContainsAny(value, "\n\"") {
		n.place(value)
	}
	if u, err := url.Parse(value); err == nil && u.Hostname() != "" {
		n.host(u.Hostname())
		return
	}
	if slices.Contains(hostKeys, strings.ToLower(key)) {
		host, _, _ := strings.Cut(value, ":")
		if hostName.MatchString(host) {
			n.host(host)
		}
	}
}

var (
	hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)
	inURL    = regexp.MustCompile(`(://)([A-Za-z0-9][A-Za-z0-9.-]*)`)
	address4 = regexp.MustCompile(`\b\d{1,3}(?:\.\d{1,3}){3}\b`)
	address6 = regexp.MustCompile(`[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}`)
	absolute = regexp.MustCompile(`(^|[\s"'=:,;(\[<>` + "`" + `@])(/[^\s"'` + "`" + `:,;()\[\]<>]+)`)
)

// replace is a text with other names.
func (n *names) replace(text string) string {
	for _, p := range n.paths {
		text = strings.ReplaceAll(text, p, n.path(p))
	}
	text = inURL.ReplaceAllStringFunc(text, func(found string) string {
		parts := inURL.FindStringSubmatch(found)
		return parts[1] + n.hostWord(parts[2])
	})
	text = absolute.ReplaceAllStringFunc(text, func(found string) string {
		at := strings.IndexByte(found, '/')
		return found[:at] + n.path(found[at:])
	})
	text = address4.ReplaceAllStringFunc(text, n.address)
	text = address6.ReplaceAllStringFunc(text, n.address)
	for _, h := range n.hosts {
		text = replaceWord(text, h, n.hostWord(h))
	}
	if n.run != "" {
		text = replaceWord(text, n.run, "run-1")
	}
	return text
}

func (n *names) hostWord(host string) string {
	if netipOf(host) != nil {
		return n.address(host)
	}
	if slices.Contains(ordinary, strings.ToLower(host)) || ours.MatchString(host) {
		return host
	}
	return n.word("host", host)
}

func netipOf(text string) *netip.Addr {
	if a, err := netip.ParseAddr(text); err == nil {
		return &a
	}
	return nil
}

// address replaces an IP address; those that mean this machine, or any, stay.
func (n *names) address(text string) string {
	a := netipOf(text)
	if a == nil || a.IsLoopback() || a.IsUnspecified() || len(text) < len("::1") {
		return text
	}
	return n.word("address", text)
}

// system are the parts of paths that are the same on every machine.
var system = strings.Fields(`. .. bin boot cache dev etc home lib lib64 log media mnt opt proc root run sbin srv sys tmp usr var local share sbin
	block class cgroup fs self runs trials baseline plimsoll study.yaml plan.json machine.json journal.jsonl trial.json audit.json operations.jsonl
	telemetry.parquet report.html logs evidence report.txt doctor.json versions.json CONTENTS.txt`)

// ours are names that stand for others already.
var ours = regexp.MustCompile(`^(?:part|host|address|run)-\d`)

// kernels are trees whose parts are the kernel's or the distribution's own.
var kernels = []string{"/proc", "/sys", "/dev", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc"}

// path replaces the parts of a path that are not a system's own.
func (n *names) path(of string) string {
	for _, k := range kernels {
		if of == k || strings.HasPrefix(of, k+"/") {
			return of
		}
	}
	parts := strings.Split(of, "/")
	for i, p := range parts {
		if p == "" || p == n.run || slices.Contains(system, p) || ours.MatchString(p) {
			continue
		}
		parts[i] = n.word("part", p) + keptExtension(p)
	}
	return strings.Join(parts, "/")
}

// keptExtension is the end of a file's name that tells its format.
func keptExtension(name string) string {
	if ext := path.Ext(name); slices.Contains([]string{".yaml", ".json", ".jsonl", ".log", ".conf", ".sock", ".sh", ".html"}, ext) {
		return ext
	}
	return ""
}

// word is what stands for a name of a kind.
func (n *names) word(kind, name string) string {
	key := kind + " " + name
	if n.words[key] == "" {
		n.kinds[kind]++
		n.words[key] = fmt.Sprintf("%s-%d", kind, n.kinds[kind])
	}
	return n.words[key]
}

// replaceWord replaces a name where it is not a part of another.
func replaceWord(text, name, by string) string {
	var out strings.Builder
	for {
		at := strings.Index(text, name)
		if at < 0 {
			out.WriteString(text)
			return out.String()
		}
		end := at + len(name)
		whole := (at == 0 || !inName(text[at-1])) && (end == len(text) || !inName(text[end]))
		out.WriteString(text[:at])
		if whole {
			out.WriteString(by)
		} else {
			out.WriteString(name)
		}
		text = text[end:]
	}
}

func inName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}
