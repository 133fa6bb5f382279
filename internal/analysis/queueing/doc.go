// Package queueing holds the models that predict throughput and response time
// from few measurements: the Universal Scalability Law, fitted to throughput
// alone; and closed queueing networks, solved from measured service demands.
// It takes numbers and gives numbers; what they mean is said in analysis.
package queueing
