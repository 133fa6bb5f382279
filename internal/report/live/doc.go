// Package live shows results to browsers and collectors: the page of a run that
// goes on (Live), the history of a directory of runs (History), and whatever else
// is handled by the same Listener.
//
// A Listener on a loopback address is open to its own user, and to root. On any
// other address it asks for a token, which is kept in a file that only its owner
// reads. What it serves is read only, is never given to pages of other sites, and
// is made only when it is asked for, because the machine may be measuring.
package live
