// This file fetches the texts of the queries that the workload tpcds runs. They are derived
// from TPC-DS's queries and belong to others: they are fetched when they are needed, with
// the Maven client, and kept in the cache of the engines.

package tpcds

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"plimsoll/internal/app/fetch"
)

// The artifact with the texts, and its SHA-256, which stands here rather than come from who
// serves it.
const (
	release       = "368"
	artifact      = "io.trino:trino-benchto-benchmarks:" + release
	archiveDigest = "5647337d12968a2de21555fde5498ff54b29b2708b4caf7c01ebb7a8c5cea022"
	inside        = "sql/presto/tpcds/"
)

// Version identifies the texts: equal versions have equal texts.
const Version = "benchto-" + release

// Count is how many queries there are. They are numbered from 1.
const Count = 99

// IOIntensive are the numbers of the queries that read much for what they compute, as
// published for measurements of storage.
func IOIntensive() []int {
	return []int{
		3, 7, 12, 13, 15, 17, 19, 20, 21, 24, 25, 26, 27, 28, 29, 31, 32, 34, 39, 40, 42, 43, 45, 46, 48, 49, 51,
		52, 55, 56, 60, 63, 64, 65, 66, 68, 71, 73, 75, 76, 79, 82, 83, 84, 85, 87, 88, 89, 90, 91, 92, 93, 96, 97,
	}
}

// Name is what reports call a query: q07.
func queryName(number int) string { return fmt.Sprintf("q%02d", number) }

// Texts holds the texts of all queries.
type Texts struct{ dir string }

// Fetch returns the texts, which it gets when the cache does not have them.
func Fetch(ctx context.Context) (Texts, error) {
	cache, err := fetch.CacheDir()
	if err != nil {
		return Texts{}, err
	}
	dir, err := fetch.Once(ctx, cache, "tpcds-queries-"+release, download)
	if errors.Is(err, fetch.ErrNoMaven) {
		return Texts{}, fmt.Errorf("fetch the texts of the queries: %w: run `apt-get install maven`", err)
	}
	if err != nil {
		return Texts{}, fmt.Errorf("fetch the texts of the queries: %w", err)
	}
	return Texts{dir}, nil
}

func download(ctx context.Context, into string) error {
	return fetch.Archive{
		Get:    func(ctx context.Context, into string) (string, error) { return fetch.Maven(ctx, artifact, into) },
		Digest: archiveDigest, Prefix: inside,
	}.Unpack(ctx, into)
}

// qualified is what stands before the name of each table.
const qualified = "${database}.${schema}."

// SQL is a query on the tables of a schema, named as the engine has it (hive.tpcds); empty
// is the one that sessions are in. The text has no semicolon at its end.
func (t Texts) SQL(number int, schema string) (string, error) {
	if number < 1 || number > Count {
		return "", fmt.Errorf("there is no query %d: they are numbered from 1 to %d", number, Count)
	}
	text, err := os.ReadFile(filepath.Join(t.dir, queryName(number)+".sql"))
	if err != nil {
		return "", fmt.Errorf("read the text of query %d: %w", number, err)
	}
	if schema != "" {
		schema += "."
	}
	sql := strings.ReplaceAll(string(text), qualified, schema)
	return strings.TrimRight(sql, "; \n\t"), nil
}
