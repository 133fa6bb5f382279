package study

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"plimsoll/internal/describe"
)

// Role is a part of an instance as a workload asks for it.
type Role struct {
	Name string
	// Engines lists those whose servers can fill it, in alphabetical order;
	// empty where a volume alone fills it.
	Engines []string
	// Volumes lists the kinds of volumes that fill it by themselves: directory,
	// device.
	Volumes []string
	// Mounts are the volumes of its servers; without any they keep nothing.
	Mounts []describe.Mount
	// Site reports that a web site fills it, which may be existing ones.
	Site bool
}

// NeedsServer reports whether a server fills the role.
func (r Role) NeedsServer() bool { return len(r.Volumes) == 0 }

// filled decides what fills a role that both servers and volumes can: a server if the study
// names one, as a gateway on a file system, or else a volume, as a bucket of a class that has
// buckets.
func (r Role) filled(named func(role string) bool) Role {
	switch {
	case len(r.Engines) == 0 || len(r.Volumes) == 0:
	case named(r.Name):
		r.Volumes = nil
	default:
		r.Engines, r.Mounts = nil, nil
	}
	return r
}

// names reports whether the study as written names a server for a role.
func (s *Study) names(role string) bool {
	_, long := s.Stack[role]
	return long || s.Engine.Name != ""
}

// names reports whether the variant has a server for a role.
func (v *Variant) names(role string) bool { return v.Server(role).Name != "" }

// Stateless reports whether its servers keep nothing, and live on no volume.
func (r Role) Stateless() bool { return len(r.Mounts) == 0 }

// Existing is an existing server, which is prepared, driven and audited but
// neither started nor stopped. Nothing is dropped there that Plimsoll did not
// make, and a database that is not empty is refused.
type Existing struct {
	// Servers lists where users connect, one for each instance: host:port/database or
	// the path of a unix socket and /database, or host:port where servers keep nothing. The longest ladder takes as many instances.
	Servers []string `yaml:"servers" json:"servers"`
	// User may make and drop tables in the database; servers that keep nothing have none.
	User string `yaml:"user" json:"user,omitempty"`
	// PasswordFile is a file, readable by its owner alone, that holds the
	// password; PasswordEnv is a variable of the environment that does.
	PasswordFile string `yaml:"password_file,omitempty" json:"password_file,omitempty"`
	PasswordEnv  string `yaml:"password_env,omitempty" json:"password_env,omitempty"`
	// TakeOver allows to drop what another run, which was interrupted, noted in
	// the databases as its own.
	TakeOver bool `yaml:"take_over,omitempty" json:"take_over,omitempty"`
	// TLS is how connections to databases are encrypted, in the terms of libpq's sslmode:
	// require, verify-ca or verify-full; empty is not at all. CAFile holds the certificate
	// authorities that may have signed the server's certificate, in PEM; without it they
	// are the authorities that the machine trusts.
	TLS    string `yaml:"tls,omitempty" json:"tls,omitempty"`
	CAFile string `yaml:"ca_file,omitempty" json:"ca_file,omitempty"`
	// ClientCert is a file with the certificate that users show the server, and those that
	// lead to its authority; ClientKey is one, readable by its owner alone, with its
	// private key. Both are in PEM.
	ClientCert string `yaml:"client_cert,omitempty" json:"client_cert,omitempty"`
	ClientKey  string `yaml:"client_key,omitempty" json:"client_key,omitempty"`
}

// Place is where one of Servers is: how to connect, and the database.
type Place struct {
	Network  string // tcp or unix
	Address  string // host:port, or the socket's path
	Database string
}

// Place takes one of Servers apart: host:port/database, where the database is all that
// follows the first /, or the path of a unix socket, which begins with / and ends
// before the last one.
func (e Existing) Place(server string) (Place, error) {
	p := Place{Network: "tcp"}
	kept := false
	if isSocket(server) {
		p.Network = "unix"
		at := strings.LastIndexByte(server, '/')
		p.Address, p.Database, kept = server[:at], server[at+1:], true
	} else {
		p.Address, p.Database, kept = strings.Cut(server, "/")
	}
	if p.Network == "tcp" && !isHostPort(p.Address) || p.Address == "" || kept && !isDatabase(p.Database) {
		return Place{}, fmt.Errorf("%q is not %s", withoutUser(server), placeForm)
	}
	return p, nil
}

// isSocket reports whether a server is given by the path of a unix socket.
func isSocket(server string) bool { return strings.HasPrefix(server, "/") }

const placeForm = "host:port/database or /path/of/socket/database"

func isHostPort(address string) bool {
	host, port, err := net.SplitHostPort(address)
	n, notNumber := strconv.ParseUint(port, 10, 16)
	return err == nil && host != "" && notNumber == nil && n > 0
}

// longestDatabase is the most that a server takes for a name, in characters: MariaDB's
// and MySQL's limit, PostgreSQL's is 63 bytes.
const longestDatabase = 64

// isDatabase reports whether a text can be the name of a database. Servers
// take it as it is, so that it needs no quotes.
func isDatabase(text string) bool {
	return text != "" && utf8.ValidString(text) && utf8.RuneCountInString(text) <= longestDatabase && !strings.ContainsFunc(text, unicode.IsControl)
}

// Server returns the engine that fills a role of the application's instances. It comes from
// the stack, or is the engine if the workload has only one role that a server fills. It is
// empty if nothing fills the role.
func (a Application) Server(role string) Engine {
	if e, ok := a.Stack[role]; ok {
		return e
	}
	if len(a.Stack) == 0 {
		return a.Engine
	}
	return Engine{}
}

// Copies is how many servers of the role an instance has.
func (e Engine) Copies() int { return max(1, e.Count) }

// stack checks what fills the roles of an instance.
func (c *checker) stack() {
	s := c.study
	kind, known := c.vocabulary.Workloads[s.Workload.Name]
	needed := s.servers()
	switch {
	case !known || s.Workload.Parameters == nil || kind.Roles == nil:
		c.engine() // the workload is a problem of its own
	case c.given("target"):
		c.sites(needed)
	case c.given("engine") && c.given("stack"):
		c.wrong("stack", "both engine and stack are given", "only one of them: engine is short for a stack of one server")
	case len(needed) == 0:
		c.noServers()
	case c.given("stack"):
		c.servers(needed)
	case len(needed) == 1:
		c.engine()
		c.fills("engine", s.Engine, needed[0])
		c.places(s.Engine, needed[0], "engine")
	default:
		c.require("stack", "what fills the roles "+namesOf(needed))
	}
}

// servers lists the roles that a server fills in any variant: a level of the
// workload's parameters may ask for others, as a web tier does.
func (s *Study) servers() []Role {
	needed := s.serversWith(nil)
	for _, f := range s.Matrix.Factors {
		if !strings.HasPrefix(f.Path, parameterFactor) {
			continue
		}
		for _, level := range f.Levels {
			for _, r := range s.serversWith([]choice{{f.Path, level}}) {
				if !hasRole(needed, r.Name) {
					needed = append(needed, r)
				}
			}
		}
	}
	return needed
}

// serversWith lists the roles that a server fills with some levels of the workload's
// parameters. It ignores invalid levels, because the check of levels reports them.
func (s *Study) serversWith(choices []choice) []Role {
	kind := s.vocabulary.Workloads[s.Workload.Name]
	parameters, err := copyOf(s.Workload.Parameters)
	if err != nil {
		return nil
	}
	d := &decoder{source: &source{}, vocabulary: s.vocabulary}
	for _, c := range choices {
		if path, ok := strings.CutPrefix(c.factor, parameterFactor); ok {
			d.setParameter(parameters, c.factor, path, scalarNode(c.level, nil))
		}
	}
	return kind.roles(parameters, s.names)
}

func hasRole(roles []Role, name string) bool {
	return slices.ContainsFunc(roles, func(r Role) bool { return r.Name == name })
}

// concernsRole reports whether the combination's instances have the role
// that a factor changes a server of; every other factor concerns them all.
func (s *Study) concernsRole(factor string, all []choice) bool {
	path, ok := strings.CutPrefix(factor, "stack.")
	if !ok || HasMembers(s.Members) {
		return true
	}
	role, _, _ := strings.Cut(path, ".")
	needed := s.Tile()[0].serversWith(all)
	return len(needed) == 0 || hasRole(needed, role)
}

// dropUnused takes out of the stack what the variant's workload does not ask for.
func (s *Study) dropUnused(v *Variant) {
	for _, one := range v.Tile() {
		needed := s.vocabulary.Workloads[one.Workload.Name].roles(one.Workload.Parameters, one.names)
		maps.DeleteFunc(one.Stack, func(role string, _ Engine) bool { return len(needed) > 0 && !hasRole(needed, role) })
	}
}

// engine checks the short form.
func (c *checker) engine() {
	expected := "name: one of " + strings.Join(c.vocabulary.Engines, ", ")
	if c.require("engine", expected) && c.root.get("engine").form == mapping && c.require("engine.name", "one of "+strings.Join(c.vocabulary.Engines, ", ")) {
		c.engineName(c.study.Engine.Name, "engine.name")
	}
}

// noServers refuses servers that the workload would not use.
func (c *checker) noServers() {
	for _, path := range []string{"engine", "stack"} {
		if c.given(path) {
			c.wrong(path, fmt.Sprintf("workload %s works on volumes and has no servers", c.study.Workload.Name), "no "+path)
		}
	}
}

// volumes checks that every class hands out what the roles can use.
func (c *checker) volumes() {
	kind, known := c.vocabulary.Workloads[c.study.Workload.Name]
	if !known || kind.Roles == nil || c.study.Workload.Parameters == nil {
		return
	}
	for _, name := range c.study.StorageOrder {
		s := c.study.Storage[name]
		class, known := c.vocabulary.Classes[s.Class]
		if !known || s.Parameters == nil {
			continue
		}
		if class.Volumes == nil {
			continue
		}
		given := class.Volumes(s.Parameters)
		if c.study.placed()[name] && !contains(c.study.varied(), name) {
			continue // that is checked with the servers
		}
		used := false
		for _, r := range kind.Roles(c.study.Workload.Parameters) {
			used = c.usable(name, given, r.filled(c.study.names)) || used
		}
		if !used && len(given) > 0 {
			c.wrong("storage."+name, "every server that keeps data is an existing one, so that nothing would live on volumes of storage class "+s.Class, "a class that describes the storage of those servers")
		}
	}
}

// usable reports whether a role lives on volumes, and notes those that it
// cannot use.
func (c *checker) usable(storage string, given []string, r Role) bool {
	if !r.NeedsServer() {
		c.mountable("storage."+storage, storage, given, r, r.Volumes)
		return true
	}
	if r.Stateless() || len(c.study.Target) > 0 || c.study.Server(r.Name).Existing != nil {
		return false
	}
	for _, m := range r.Mounts {
		if c.study.Server(r.Name).Storage[m.Name] == "" {
			c.mountable("storage."+storage, storage, given, r, m.Kinds)
		}
	}
	return true
}

func handedOut(kinds []string) string {
	if len(kinds) == 0 {
		return "no volumes"
	}
	return "volumes of kind " + strings.Join(kinds, ", ")
}

func (c *checker) servers(needed []Role) {
	for _, name := range sortedKeys(c.study.Stack) {
		path := "stack." + name
		at := slices.IndexFunc(needed, func(r Role) bool { return r.Name == name })
		if at < 0 {
			c.near(c.root.at(path), path, fmt.Sprintf("workload %s has no role %q for a server", c.study.Workload.Name, name), name, strings.Split(namesOf(needed), ", "))
			continue
		}
		e := c.study.Stack[name]
		if c.require(path+".name", "one of "+strings.Join(needed[at].Engines, ", ")) && c.engineName(e.Name, path+".name") {
			c.fills(path, e, needed[at])
			c.places(e, needed[at], path)
		}
		if needed[at].Stateless() {
			c.stateless(e, path, len(needed) == 1)
		}
		c.engineLimits(e, path)
	}
	for _, r := range needed {
		if _, filled := c.study.Stack[r.Name]; !filled && !c.unread("engine", "stack") {
			c.wrong("stack", fmt.Sprintf("nothing fills the role %s", r.Name), "an engine: one of "+strings.Join(r.Engines, ", "))
		}
	}
}

// fills says that an engine that there is cannot fill a role.
func (c *checker) fills(path string, e Engine, r Role) {
	if contains(c.vocabulary.Engines, e.Name) && !contains(r.Engines, e.Name) {
		c.problem(c.root.at(path+".name"), path+".name", fmt.Sprintf("workload %s does not run on %s", c.study.Workload.Name, e.Name), "one of "+strings.Join(r.Engines, ", "))
	}
}

// stateless refuses what only servers that keep data can have. A server is alone where
// the instance has no others.
func (c *checker) stateless(e Engine, path string, alone bool) {
	if e.Volume > 0 {
		c.wrong(path+".volume", "servers of this role keep no data and have no volume", "no volume")
	}
	if e.Existing != nil && !alone {
		c.wrong(path+".existing", "servers of this role use others of the instance, and serve what Plimsoll gives them", "no existing")
	}
}

// existingPlaces checks where existing servers are, and how users log in.
func (c *checker) existingPlaces(x *Existing, path string) {
	keeps := c.keeps(path)
	for i, server := range x.Servers {
		p, err := x.Place(server)
		switch {
		case err == nil && keeps == (p.Database != ""):
		case keeps:
			c.wrong(fmt.Sprintf("%s.servers.%d", path, i), fmt.Sprintf("%q is not %s", withoutUser(server), placeForm),
				"such as db1.example:5432/shop, [2001:db8::1]:5432/shop, /run/db:5432/shop or /run/db/db.sock/shop")
		default:
			c.wrong(fmt.Sprintf("%s.servers.%d", path, i), fmt.Sprintf("%q is not host:port", withoutUser(server)), "such as 10.0.0.2:5201")
		}
	}
	switch {
	case !keeps && (x.User != "" || x.TakeOver):
		c.wrong(path, "servers of this role keep no data", "no user and no take_over, only a password where they ask for one")
	case keeps && x.User == "":
		c.wrong(path, "the user is missing", "user: one who may make tables there")
	}
	given := x.PasswordFile != "" || x.PasswordEnv != ""
	known := given || x.ClientCert != "" || !slices.ContainsFunc(x.Servers, func(s string) bool { return !isSocket(s) })
	if x.PasswordFile != "" && x.PasswordEnv != "" || keeps && !known {
		c.wrong(path, "the password is given nowhere, or twice", "password_file: a file of mode 0600, or password_env: a variable")
	}
}

// tlsModes returns the values of Existing.TLS.
func tlsModes() []string { return []string{"require", "verify-ca", "verify-full"} }

// encryption checks how connections to existing servers are encrypted.
func (c *checker) encryption(x *Existing, path string) {
	switch {
	case x.TLS == "" && x.CAFile == "" && x.ClientCert == "" && x.ClientKey == "":
	case !c.keeps(path):
		c.wrong(path+".tls", "only connections to databases can be encrypted", "no tls and no certificates")
	case x.TLS == "" && x.CAFile != "":
		c.wrong(path+".ca_file", "certificates are of use only with tls", "tls: verify-full, or verify-ca")
	case x.TLS == "":
		c.wrong(path+".client_cert", "certificates are of use only with tls", "tls: verify-full, verify-ca, or require")
	case !contains(tlsModes(), x.TLS):
		c.near(c.root.at(path+".tls"), path+".tls", fmt.Sprintf("no way to encrypt is called %q", x.TLS), x.TLS, tlsModes())
	case slices.ContainsFunc(x.Servers, isSocket):
		c.wrong(path+".tls", "a unix socket does not leave the machine and is not encrypted", "no tls, or host:port/database")
	case x.TLS == "require" && x.CAFile != "":
		c.wrong(path+".ca_file", "tls: require does not look at certificates", "tls: verify-full, or verify-ca")
	case x.ClientKey == "" && x.ClientCert != "":
		c.wrong(path+".client_key", "the key of client_cert is missing", "client_key: a file of mode 0600")
	case x.ClientCert == "" && x.ClientKey != "":
		c.wrong(path+".client_cert", "the certificate of client_key is missing", "client_cert: a file in PEM")
	}
}

// keeps reports whether what a path below engine or stack describes keeps data.
func (c *checker) keeps(path string) bool {
	for _, r := range c.study.servers() {
		if !r.Stateless() || strings.HasPrefix(path, "stack.") && !strings.HasPrefix(path, "stack."+r.Name+".") {
			continue
		}
		return false
	}
	return true
}

// existing checks a server that is not ours.
func (c *checker) existing(e Engine, path string) {
	x, path := e.Existing, path+".existing"
	if x == nil {
		return
	}
	if len(x.Servers) == 0 && !c.unread(path+".servers") {
		c.wrong(path, "no servers are listed", "servers: [host:port/database, ...], one for each instance")
	}
	c.existingPlaces(x, path)
	c.encryption(x, path)
	if e.Version != "" || e.CPU > 0 || e.Memory > 0 || len(e.Settings) > 0 || e.Count > 1 {
		c.wrong(path, "version, cpu, memory, settings and count are those of servers that Plimsoll starts", "none of them beside existing")
	}
	if most := c.most(); most > len(x.Servers) && len(x.Servers) > 0 {
		c.wrong(path+".servers", fmt.Sprintf("%d servers are listed, but the ladder goes up to %d instances", len(x.Servers), most), "one server for each instance")
	}
}

// most is the largest number of instances that the ladder may reach, 0 where a
// search has no bound.
func (c *checker) most() int {
	l, each := c.study.Ladder, max(1, c.study.weight)
	if l.Auto {
		return each * l.Instances(l.To)
	}
	return each * l.Instances(slices.Max(append([]int{0}, l.Rungs...)))
}

func namesOf(roles []Role) string {
	names := make([]string, len(roles))
	for i, r := range roles {
		names[i] = r.Name
	}
	return strings.Join(names, ", ")
}
