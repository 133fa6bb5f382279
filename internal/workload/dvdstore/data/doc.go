// Package data is the DVD Store data set as pure functions of a size and a seed: the
// numbers of rows, the contents of each row, and the words and names that users search for.
// Every row is drawn from its own random stream, so any row can be made alone, in any order
// and on any number of cores, and is always the same.
package data
