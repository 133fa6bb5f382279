// Package data generates the contents of sysbench's OLTP tables: the texts of c and pad in
// groups of digits, the distributions that keys are drawn from, and the loaded rows. The
// same seed gives the same rows on every machine, so the audit can generate any row again.
package data
