package search

import (
	"cmp"
	"math"
	"slices"
)

// line predicts the load line, a count within the limits: where the excess, as a model
// has it that goes through what was measured, turns positive.
func (q Query) line(asked []Rung, low, high float64) float64 {
	excess := q.excess(asked)
	if excess(high) <= 0 {
		return high
	}
	if excess(low) > 0 {
		return low
	}
	for range 60 {
		mid := math.Sqrt(low * high)
		if excess(mid) > 0 {
			high = mid
		} else {
			low = mid
		}
	}
	return low
}

// excess is the model: that of the queueing network whose demands were measured at the
// rung closest to the line, with what the measured rungs differ from it added between
// them, in proportion to ln(rung).
func (q Query) excess(asked []Rung) func(n float64) float64 {
	known := slices.DeleteFunc(slices.Clone(asked), func(r Rung) bool { return math.IsNaN(r.Excess) || math.IsInf(r.Excess, 0) })
	if len(known) == 0 {
		return func(float64) float64 { return 0 }
	}
	slices.SortStableFunc(known, func(a, b Rung) int { return cmp.Compare(a.Rung, b.Rung) })
	near := slices.MinFunc(known, func(a, b Rung) int { return cmp.Compare(math.Abs(a.Excess), math.Abs(b.Excess)) })
	growth := q.growth(near)
	base := func(n float64) float64 { return near.Excess + growth(n) }
	at, off := make([]float64, len(known)), make([]float64, len(known))
	for i, r := range known {
		at[i], off[i] = math.Log(float64(r.Rung)), r.Excess-base(float64(r.Rung))
	}
	return func(n float64) float64 { return base(n) + interpolate(at, off, math.Log(n)) }
}

// interpolate is linear between points and constant beyond them.
func interpolate(at, value []float64, x float64) float64 {
	i, _ := slices.BinarySearch(at, x)
	switch {
	case i == 0:
		return value[0]
	case i == len(at):
		return value[i-1]
	}
	share := (x - at[i-1]) / (at[i] - at[i-1])
	return value[i-1] + share*(value[i]-value[i-1])
}

// growth is ln of the response time at a count over that at the rung. By the
// utilisation law a station's demand is utilisation times servers over throughput;
// what of the response time the stations do not explain is a delay without a queue.
// Without stations all of it is taken for a queue, as which it grows most.
func (q Query) growth(r Rung) func(n float64) float64 {
	users := max(q.Load.Users, 1e-9)
	if q.Load.Open {
		return opened(r)
	}
	net := network{think: q.Load.Think}
	for _, s := range r.Stations {
		if d := s.Utilisation * s.Servers / r.Throughput; d > 0 && !math.IsInf(d, 0) {
			net.queue = append(net.queue, d/max(s.Servers, 1))
			net.delay += d - d/max(s.Servers, 1)
		}
	}
	at := users * float64(r.Rung)
	if len(net.queue) == 0 {
		if !(r.Mean > 0) {
			return func(n float64) float64 { return math.Log(n / float64(r.Rung)) }
		}
		net.queue = []float64{0}
		net.queue[0] = net.demand(r.Mean, at)
	}
	for range 8 { // the delay that explains the measured mean
		if missing := r.Mean - net.response(at); missing > 0 {
			net.delay += missing
		}
	}
	reference := net.response(at)
	return func(n float64) float64 { return math.Log(net.response(users*n) / reference) }
}

// opened is the growth where work arrives at its own rate: utilisation is in
// proportion to the count, and waiting follows 1/(1-U).
func opened(r Rung) func(n float64) float64 {
	busiest := 0.0
	for _, s := range r.Stations {
		busiest = max(busiest, s.Utilisation)
	}
	wait := func(n float64) float64 { return -math.Log(1 - min(busiest*n/float64(r.Rung), 0.99999)) }
	if busiest == 0 {
		return func(n float64) float64 { return math.Log(n / float64(r.Rung)) }
	}
	return func(n float64) float64 { return wait(n) - wait(float64(r.Rung)) }
}

// network is a closed queueing network with demands in seconds: queue are those of
// stations with one server (one with several is a faster one and a delay, by Seidmann,
// 1987), delay is time without a queue.
type network struct {
	queue        []float64
	delay, think float64
}

// demand is that of the one station with which so many users have a response time.
func (n network) demand(response, users float64) float64 {
	low, high := 0.0, response
	for range 50 {
		n.queue[0] = (low + high) / 2
		if n.response(users) < response {
			low = n.queue[0]
		} else {
			high = n.queue[0]
		}
	}
	return low
}

// response is the mean response time with so many users, by the approximate
// mean-value analysis of Schweitzer (1979), which takes any number of users at the
// same cost.
func (n network) response(users float64) float64 {
	length := make([]float64, len(n.queue))
	for i := range length {
		length[i] = users / float64(len(length))
	}
	seen := max(0, users-1) / max(users, 1)
	response := 0.0
	for range 1000 {
		last := response
		response = n.delay
		residence := make([]float64, len(n.queue))
		for i, d := range n.queue {
			residence[i] = d * (1 + seen*length[i])
			response += residence[i]
		}
		for i := range length {
			length[i] = users * residence[i] / (response + n.think)
		}
		if math.Abs(response-last) <= 1e-7*response {
			break
		}
	}
	return response
}
