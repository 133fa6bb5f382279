package queueing

import "math"

// Response is the mean response time in seconds with a number of users, by the approximate
// mean-value analysis of Schweitzer (1979). Unlike Solve it takes a fraction of a user and
// costs the same for any number of them, for predictions that are made thousands of times.
// A station with several servers counts as a faster one with a single server and a delay
// (Seidmann, 1987).
func (n Network) Response(users float64) float64 {
	queues, delay := n.single()
	length := make([]float64, len(queues))
	for i := range length {
		length[i] = users / float64(len(length))
	}
	seen := max(0, users-1) / max(users, 1)
	response := delay
	for range 1000 {
		last := response
		response = delay
		residence := make([]float64, len(queues))
		for i, d := range queues {
			residence[i] = d * (1 + seen*length[i])
			response += residence[i]
		}
		for i := range length {
			length[i] = users * residence[i] / (response + n.Think)
		}
		if math.Abs(response-last) <= 1e-7*response {
			break
		}
	}
	return response
}

// single gives the demands of stations with a single server, and the delay that is left.
func (n Network) single() (queues []float64, delay float64) {
	for _, s := range n.Stations {
		if s.Demand > 0 {
			d := s.Demand / float64(max(s.Servers, 1))
			queues, delay = append(queues, d), delay+s.Demand-d
		}
	}
	return queues, delay
}
