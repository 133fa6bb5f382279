// Package data is the DVD Store data set as pure functions of a size and a
// seed: how many rows there are, what is in each of them, and the words and
// names that users search for. Every row is drawn from a random stream of its
// own, so that any row can be made alone, in any order and on any number of
// cores, and always comes out the same.
package data
