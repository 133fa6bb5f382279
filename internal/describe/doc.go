// Package describe holds the descriptions that the parts of a study give of themselves: a
// workload its unit of work, a storage class its medium, an audit its findings.
// Descriptions are plain data and part of every trial, so readers of results need to know
// no workload, engine or class.
package describe
