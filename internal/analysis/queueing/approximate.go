package queueing

import "slices"

// Response is the mean response time in seconds with a number of users, by the approximate
// mean-value analysis of Schweitzer (1979). Unlike Solve it takes a fraction of a user and
// costs the same for any number of them, for predictions that are made thousands of times.
// A station with several servers counts as a faster one with a single server and a delay
// (Seidmann, 1987).
//
// Schweitzer's residence times are d(1 + aXr), where a is (users-1)/users and X the throughput:
// r = d/(1-aXd). X is then the only unknown, and what is left of the users when each
// has his place, X(think+response)-users, grows with it. Iterating the residence times instead
// all but stands still before it is there where stations are nearly alike.
func (n Network) Response(users float64) float64 {
	queues, delay := n.single()
	seen := max(0, users-1) / max(users, 1)
	response := func(throughput float64) float64 {
		sum := delay
		for _, d := range queues {
			sum += d / (1 - seen*throughput*d)
		}
		return sum
	}
	unloaded := response(0)
	if seen == 0 || len(queues) == 0 || unloaded+n.Think == 0 {
		return unloaded
	}
	low, high := 0.0, min(users/(unloaded+n.Think), 1/(seen*slices.Max(queues)))
	for {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			return users/high - n.Think
		}
		if middle*(response(middle)+n.Think) < users {
			low = middle
		} else {
			high = middle
		}
	}
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
