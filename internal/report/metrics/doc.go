// Package metrics shows how a run goes in OpenMetrics, for Prometheus and Grafana. A
// Run takes the campaign's events and its feed, and is a prometheus.Collector: the
// figures are counted as they arrive, and a scrape only copies them.
//
// What belongs to a trial is exported for the latest trial alone, so that the
// number of series does not grow with the run. Counters of machines go on through
// all trials.
package metrics
