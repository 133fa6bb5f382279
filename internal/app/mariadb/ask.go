package mariadb

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/client/sqlconn"
	"plimsoll/internal/describe/endpoint"
)

// standing queries the variables that decide whether a run can use the database.
const standing = "select concat_ws(' ', @@global.read_only + 0, @@global.innodb_read_only + 0, @@global.local_infile + 0, @@global.max_connections, " +
	"@@session.max_user_connections, (select count(*) from information_schema.processlist where user = substring_index(current_user(), '@', 1)) - 1)"

// needed are the rights that a run uses in its database.
func needed() []string {
	return []string{"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER", "INDEX", "REFERENCES"}
}

// Ask implements app.Capabilities.
func (Engine) Ask(ctx context.Context, e endpoint.Endpoint) (app.ServerAccess, error) {
	var s app.ServerAccess
	db, err := open(e)
	if err != nil {
		return s, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if err := db.PingContext(ctx); err != nil {
		return s, sqlconn.Failed(e, err)
	}
	var text, name string
	var inUse int
	grants, err := list(ctx, db, "show grants")
	if err == nil {
		err = db.QueryRowContext(ctx, standing).Scan(&text)
	}
	if err == nil {
		err = db.QueryRowContext(ctx, "show global status like 'Threads_connected'").Scan(&name, &inUse)
	}
	if err != nil {
		return s, fmt.Errorf("ask %s whether a run can use it: %w", e.Address, err)
	}
	var n []int
	for _, f := range strings.Fields(text) {
		v, _ := strconv.Atoi(f) // all are numbers
		n = append(n, v)
	}
	r := rightsOf(grants, endpoint.Database(e))
	if n[0] != 0 && !r.writesAnyway() {
		s.Refuses = append(s.Refuses, "the server is read-only (read_only)")
	}
	if n[1] != 0 {
		s.Refuses = append(s.Refuses, "the server is read-only (innodb_read_only)")
	}
	if n[2] == 0 {
		s.Refuses = append(s.Refuses, "the server takes no rows from clients: set global local_infile = 1")
	}
	if lacks := r.lacks(); len(lacks) > 0 {
		s.Refuses = append(s.Refuses, fmt.Sprintf("user %q lacks rights on database %q: grant %s", e.User, endpoint.Database(e), strings.Join(lacks, ", ")))
	}
	k, err := factsOf(ctx, db)
	if err != nil {
		return s, fmt.Errorf("ask %s whether commits wait: %w", e.Address, err)
	}
	s.Refuses = append(s.Refuses, k.hindrances()...)
	s.WantsKeys = k.wantsKeys()
	s.Server, s.Database = k.server, k.database()
	s.Free, s.Slots = n[3]-(inUse-1), fmt.Sprintf("max_connections %d, %d in use", n[3], inUse-1)
	if n[4] > 0 {
		s.Limit(n[4]-n[5], "max_user_connections %d, %d in use", n[4], n[5])
	}
	if len(s.Refuses) == 0 && s.Free > 1 {
		s.Held, err = borrowing().Contents(ctx, e)
	}
	return s, err
}

// rights are a user's rights on everything and on one database.
type rights struct {
	everywhere, there []string
	roles             bool // some come by unnamed roles
}

// granted matches a line of SHOW GRANTS: rights, and their scope.
var granted = regexp.MustCompile("^GRANT (.*?) ON (\\*\\.\\*|`(?:[^`]|``)*`\\.\\*) TO ")

func rightsOf(grants []string, database string) (r rights) {
	for _, line := range grants {
		m := granted.FindStringSubmatch(line)
		switch {
		case m == nil:
			r.roles = r.roles || !strings.Contains(line, " ON ")
		case m[2] == "*.*":
			r.everywhere = append(r.everywhere, strings.Split(m[1], ", ")...)
		case matches(strings.TrimSuffix(m[2], ".*"), database):
			r.there = append(r.there, strings.Split(m[1], ", ")...)
		}
	}
	return r
}

// matches compares a quoted pattern of databases with a name: _ is any character and %
// any text, unless a \ stands before it.
func matches(pattern, database string) bool {
	pattern = strings.ReplaceAll(strings.Trim(pattern, "`"), "``", "`")
	form := strings.NewReplacer(`\\_`, "_", `\\%`, "%", "_", ".", "%", ".*").Replace(regexp.QuoteMeta(pattern))
	ok, err := regexp.MatchString("(?is)^"+form+"$", database)
	return ok && err == nil
}

const allRights = "ALL PRIVILEGES"

// lacks lists the rights that a run needs and the user does not have, as far as is known.
func (r rights) lacks() []string {
	has := slices.Concat(r.everywhere, r.there)
	if r.roles || slices.Contains(has, allRights) {
		return nil
	}
	return slices.DeleteFunc(needed(), func(right string) bool { return slices.Contains(has, right) })
}

// writesAnyway reports whether read_only is not for this user.
func (r rights) writesAnyway() bool {
	return slices.ContainsFunc(r.everywhere, func(right string) bool {
		return slices.Contains([]string{allRights, "SUPER", "READ_ONLY ADMIN", "READ ONLY ADMIN", "CONNECTION_ADMIN"}, right)
	})
}
