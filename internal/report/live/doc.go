// Package live shows results to browsers and collectors: the page of a run in progress
// (Live), the history of a directory of runs (History), and other handlers on the same
// Listener.
//
// A Listener on a loopback address is open to its own user and to root. On any other
// address it asks for a token, which is stored in a file that only its owner can read. It
// serves read-only data, never to pages of other sites, and computes it only on request,
// because the machine may be measuring.
package live
