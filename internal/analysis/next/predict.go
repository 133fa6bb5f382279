package next

import (
	"cmp"
	"math"
	"slices"

	"plimsoll/internal/analysis/queueing"
)

// line predicts the load line, a count within the limits: where the excess turns positive
// in a model that passes through the measurements.
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

// excess is the model: a queueing network with the demands measured at the rung closest to
// the line, corrected by the residuals of the measured rungs, interpolated in ln(rung).
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
	net := queueing.Network{Think: q.Load.Think}
	for _, s := range r.Stations {
		if d := s.Utilisation * s.Servers / r.Throughput; d > 0 && !math.IsInf(d, 0) {
			net.Stations = append(net.Stations, queueing.Station{Demand: d, Servers: int(s.Servers)})
		}
	}
	at := users * float64(r.Rung)
	if len(net.Stations) == 0 {
		if !(r.Mean > 0) {
			return func(n float64) float64 { return math.Log(n / float64(r.Rung)) }
		}
		net.Stations = []queueing.Station{{Demand: demandOf(r.Mean, net.Think, at), Servers: 1}}
	}
	delay := 0.0 // a part of the response time that, like thinking, grows with no queue
	response := func(users float64) float64 {
		with := queueing.Network{Stations: net.Stations, Think: net.Think + delay}
		return delay + with.Response(users)
	}
	for range 8 { // the delay that explains the measured mean
		if missing := r.Mean - response(at); missing > 0 {
			delay += missing
		}
	}
	reference := response(at)
	return func(n float64) float64 { return math.Log(response(users*n) / reference) }
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

// demandOf is the demand at the single station that gives so many users this response time,
// in seconds.
func demandOf(response, think, users float64) float64 {
	low, high := 0.0, response
	for range 50 {
		mid := (low + high) / 2
		one := queueing.Network{Stations: []queueing.Station{{Demand: mid, Servers: 1}}, Think: think}
		if one.Response(users) < response {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}
