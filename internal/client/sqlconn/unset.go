package sqlconn

import (
	"errors"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
)

// unset is a configuration of the library with nothing of the environment in it: neither
// another server nor settings of a session, nor a service whose file is missing. The
// library makes a configuration in no other way than with its PG* variables, so it makes
// one before anything else runs, while they are put aside.
var unset, errUnset = withoutVariables("PG", func() (*pgx.ConnConfig, error) {
	return pgx.ParseConfig("host=localhost user=nobody sslmode=disable sslnegotiation=postgres")
})

// withoutVariables calls a function while the variables of a prefix are not in the
// environment of this process.
func withoutVariables[T any](prefix string, do func() (T, error)) (result T, err error) {
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		if err := os.Unsetenv(name); err != nil {
			return result, err
		}
		defer func() { err = errors.Join(err, os.Setenv(name, value)) }()
	}
	return do()
}
