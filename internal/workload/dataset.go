package workload

import (
	"maps"
	"slices"
	"strings"

	"plimsoll/internal/describe"
)

// Dataset says what Prepare loads into an instance, so that golden volumes can be
// shared and space estimated.
type Dataset struct {
	// Description is for people: "DVD Store 2, 10MB: 20,000 customers, ...".
	Description string
	// Roles are the contents of each role, by name. Roles without contents have no entry.
	Roles map[string]Contents
}

// Contents describes what Prepare loads into the servers of a role, or into the volume that
// fills it.
type Contents struct {
	// Key is equal for equal contents: name, version, size, seed, kinds. Data with a part
	// for each user have none.
	Key string
	// Database and User are the names that sessions use if the role is a database: DS2,
	// web.
	Database, User string
	// Unkeyed are the tables without a primary key, which some databases refuse.
	Unkeyed []string
	// Space is the space on the role's first mount, over all its servers.
	Space
	// Mounts is the space on the other mounts, by name.
	Mounts map[string]Space
}

// Space is the approximate size of data. Files include directories if there are many.
type Space struct {
	Bytes, UserBytes int64 // UserBytes is what each user of the instance adds
	Files, UserFiles int64 // UserFiles as well
}

// Plus adds up.
func (s Space) Plus(o Space) Space {
	return Space{s.Bytes + o.Bytes, s.UserBytes + o.UserBytes, s.Files + o.Files, s.UserFiles + o.UserFiles}
}

// Of returns the space on the nth mount of a role.
func (c Contents) Of(n int, m describe.Mount) Space {
	if n == 0 {
		return c.Space
	}
	return c.Mounts[m.Name]
}

// Loaded returns a data set that belongs to one role alone.
func Loaded(role, description string, c Contents) Dataset {
	return Dataset{Description: description, Roles: map[string]Contents{role: c}}
}

// Key identifies the contents of all roles: equal keys mean equal contents. It is empty if
// a role has no key, or if there are no roles.
func (d Dataset) Key() string {
	var all []string
	for _, role := range slices.Sorted(maps.Keys(d.Roles)) {
		if d.Roles[role].Key == "" {
			return ""
		}
		all = append(all, d.Roles[role].Key)
	}
	return strings.Join(all, "+")
}

// Space returns the sum over all roles.
func (d Dataset) Space() (all Space) {
	for _, c := range d.Roles {
		all = all.Plus(c.Space)
		for _, more := range c.Mounts {
			all = all.Plus(more)
		}
	}
	return all
}

// Login returns the database and the user of a role. If the role has none, they are those
// of the first role that it uses and that has them.
func (d Dataset) Login(r Role) (database, user string) {
	for _, name := range append([]string{r.Name}, r.After...) {
		if c := d.Roles[name]; c.Database != "" {
			return c.Database, c.User
		}
	}
	return "", ""
}
