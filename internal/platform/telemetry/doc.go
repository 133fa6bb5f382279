// Package telemetry samples what the machine does while a trial runs: CPU,
// memory, pressure, block devices, network interfaces, and the processes of
// instances, drivers and storage servers. It takes a Config and gives one
// result.Series for each quantity of each thing; Metrics lists them all.
//
// It is made to cost little: files below /proc and /sys are opened once and
// read in place, and parsed by hand. What it costs is among its own series
// (kind "self").
package telemetry
