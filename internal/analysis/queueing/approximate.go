package queueing

import "math"

// Response is the mean response time in seconds with a number of users, by the approximate
// mean-value analysis of Schweitzer (1979). Unlike Solve it takes a fraction of a user and
// costs the same for any number of them, for predictions that are made thousands of times.
// A station with several servers counts as a faster one with a single server and a delay
// (Seidmann, 1987).
//
// Schweitzer's residence times are d(1 + aXr), where a is (users-1)/users and X the throughput:
// r = d/(1-aXd). X is then the only unknown, and X(think+response)-users, which is convex in it,
// is zero where it is right: Newton's steps come down to that from above. They begin where it would be
// zero if the other stations had no queues, which is the answer for one station. Iterating the
// residence times instead all but stands still before it is there where stations are nearly alike.
func (n Network) Response(users float64) float64 {
	queues, delay := n.single()
	seen := max(0, users-1) / max(users, 1)
	unloaded, largest := delay, 0.0
	for _, d := range queues {
		unloaded, largest = unloaded+d, max(largest, d)
	}
	if seen == 0 || largest == 0 {
		return unloaded
	}
	// One queue: cX² - bX + users = 0.
	c := seen * largest * (n.Think + unloaded - largest)
	b := n.Think + unloaded + users*seen*largest
	throughput := 2 * users / (b + math.Sqrt(b*b-4*c*users))
	for range 100 {
		response, slope := delay, 0.0
		for _, d := range queues {
			r := d / (1 - seen*throughput*d)
			response, slope = response+r, slope+seen*r*r
		}
		step := (throughput*(n.Think+response) - users) / (n.Think + response + throughput*slope)
		if throughput -= step; step <= 1e-13*throughput {
			break
		}
	}
	return users/throughput - n.Think
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
