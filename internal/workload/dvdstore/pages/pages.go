// Package pages holds the web pages of the DVD Store, in PHP: the four of version 2 and the
// nine of version 3, for PostgreSQL and MariaDB. They have the names and parameters of the
// original's pages, so its web drivers can use them; docs/workloads/dvdstore.md describes
// each page.
package pages

import (
	"embed"
	"fmt"
	"maps"
	"path"

	"plimsoll/internal/workload/sqldb"
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

// Files returns the text of every file that version 2 or 3 consists of, by its
// path relative to the site: ds3/dslogin.php, lib/shop.php.
func Files(version int) map[string]string {
	files := sqldb.Library()
	maps.Copy(files, sqldb.Texts(source, "php/lib", "lib"))
	all := sqldb.Texts(source, "php/pages", Directory(version))
	for _, name := range Names(version) {
		page := path.Join(Directory(version), name+".php")
		files[page] = all[page]
	}
	return files
}
