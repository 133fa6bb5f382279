//go:build !pseudo

package say

// translation gives a format of F in the language of the program, with the same verbs; arguments may be
// numbered, %[2]s, where their order differs. English is the key, so its table is empty. Another language is
// a file such as this one, with a build tag of its own and a table from English; a sentence that the table
// lacks stays English.
func translation(english string) string { return english }
