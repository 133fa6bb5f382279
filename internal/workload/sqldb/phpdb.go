// This file holds what the PHP pages of workloads have in common: the way to a database
// of PostgreSQL or MariaDB, and what a page answers when something goes wrong.
//
// A server of kind fastcgi runs the pages. Its include path has a file peers.php that says
// where the database is:
//
//	<?php return ['db' => ['kind' => 'sql:postgres', 'network' => 'unix', 'address' => …,
//	    'database' => …, 'user' => …, 'password' => …, 'session' => …]];
//
// session is a statement that sets what a session depends on, empty where the server's
// configuration is ours.

package sqldb

import (
	"embed"
	"io/fs"
	"path"
)

//go:embed php
var source embed.FS

// Library returns the files, by their paths relative to a site: lib/database.php.
func Library() map[string]string { return Texts(source, "php", "lib") }

// Texts returns the files that lie in a directory of embedded ones, by their paths in another.
func Texts(source embed.FS, from, to string) map[string]string {
	entries, err := fs.ReadDir(source, from)
	if err != nil {
		panic(err) // embedded files can be read
	}
	files := map[string]string{}
	for _, entry := range entries {
		text, err := fs.ReadFile(source, path.Join(from, entry.Name()))
		if err != nil {
			panic(err)
		}
		files[path.Join(to, entry.Name())] = string(text)
	}
	return files
}
