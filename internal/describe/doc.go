// Package describe holds what the parts of a study say of themselves: a
// workload its unit of work, a storage class its medium, an audit what it
// found. Such descriptions are plain data, written into every trial, so that
// whoever reads results needs to know no workload, engine or class.
package describe
