package telemetry

import (
	"slices"

	"plimsoll/internal/describe"
)

// Metrics lists every quantity that a trial's telemetry can hold: those of each source, in the
// order of newSources, and those that are measured elsewhere.
func Metrics() []Metric {
	return slices.Concat(
		cpuMetrics, memoryMetrics, loadMetrics, clockMetrics, networkMetrics, pressureMetrics, deviceMetrics, containerMetrics,
		nodeMetrics, meterMetrics, instanceMetrics, gaugeMetrics, timeMetrics, driverMetrics, selfMetrics,
		kubeletMetrics, prometheusMetrics, recordMetrics,
	)
}

// newSources makes the sources that a configuration asks for.
func newSources(b *book, f *files, c Config) []source {
	sources := []source{newCPUSource(b, f), newMemorySource(b, f), newLoadSource(b, f), newClockSource(b, f), newNetworkSource(b, f)}
	for _, resource := range []string{"cpu", "io", "memory"} {
		sources = append(sources, newPressureSource(b, f, resource))
	}
	sources = append(sources, newDeviceSources(b, f, c.Devices)...)
	for _, limits := range c.Containers {
		sources = append(sources, newContainerSource(b, f, limits))
	}
	if c.Nodes != nil {
		sources = append(sources, newNodesSource(b, f, c.Nodes))
	}
	if c.Meters != nil {
		sources = append(sources, newMetersSource(b, f, c.Meters))
	}
	if c.Instances != nil {
		sources = append(sources, newGroupsSource(b, f, describe.InstanceKind, c.Instances))
	}
	if c.Drivers != nil {
		sources = append(sources, newGroupsSource(b, f, describe.DriverKind, c.Drivers))
	}
	return sources
}
