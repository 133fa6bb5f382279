// Package pages holds the web pages of the DVD Store, in PHP: the four of
// version 2 and the nine of version 3, for PostgreSQL and MariaDB. Their names
// and parameters are those of the DVD Store, so its web drivers can use them;
// docs/workloads/dvdstore.md describes them one by one.
//
// A server of kind fastcgi runs them. Its include path has a file peers.php
// that says where the database is:
//
//	<?php return ['db' => ['kind' => 'sql:postgres', 'network' => 'unix', 'address' => …,
//	    'database' => …, 'user' => …, 'password' => …, 'session' => …]];
//
// session is a statement that sets what a session depends on, empty where the server's
// configuration is ours.
package pages

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed php
var source embed.FS

// common lists the pages of both versions, added those that version 3 adds.
var (
	common = []string{"dslogin", "dsnewcustomer", "dsbrowse", "dspurchase"}
	added  = []string{"dsnewmember", "dsbrowsereviews", "dsgetreviews", "dsnewreview", "dsnewhelpfulness"}
)

// Directory is where the pages of a version lie, relative to the site: ds2, ds3.
func Directory(version int) string { return fmt.Sprintf("ds%d", version) }

// Names lists the pages of version 2 or 3 without extension.
func Names(version int) []string {
	if version == 2 {
		return common
	}
	return append(common[:len(common):len(common)], added...)
}

// Files gives the text of every file that version 2 or 3 consists of, by its
// path relative to the site: ds3/dslogin.php, lib/shop.php.
func Files(version int) map[string]string {
	files := map[string]string{}
	for _, name := range Names(version) {
		files[path.Join(Directory(version), name+".php")] = read("pages/" + name + ".php")
	}
	library, err := fs.Glob(source, "php/lib/*.php")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for _, file := range library {
		within := strings.TrimPrefix(file, "php/")
		files[within] = read(within)
	}
	return files
}

// read gives an embedded file; that it is there is tested.
func read(file string) string {
	text, err := source.ReadFile("php/" + file)
	if err != nil {
		panic(err)
	}
	return string(text)
}
