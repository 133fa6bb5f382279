// Package data makes what is in sysbench's OLTP tables: the texts of c and pad
// in groups of digits, the distributions that keys are drawn from, and the rows
// that are loaded. It takes a seed and gives the same rows on every machine, so
// that the audit can make any row again.
package data
