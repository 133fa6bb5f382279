// Package telemetry samples a machine during a trial: CPU, memory, pressure, block devices,
// network interfaces, and the processes of instances, drivers and storage servers. It takes
// a Config and gives one result.Series for each quantity of each object; Metrics lists them
// all.
//
// It is designed to cost little: files below /proc and /sys are opened once, read in place
// and parsed by hand. Its own cost is among its series (kind "self").
package telemetry
