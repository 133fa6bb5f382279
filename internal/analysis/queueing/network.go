package queueing

import (
	"fmt"
	"math"
)

// Station is one resource of a closed network.
type Station struct {
	Name string
	// Demand is seconds of the resource per unit of work, D = U*m/X.
	Demand float64
	// Servers is how many requests it serves at once; at least 1.
	Servers int
}

// Network is a closed network: Think is what a user pauses between units of work, in
// seconds, with any delay that grows with no queue.
type Network struct {
	Stations []Station
	Think    float64
}

// Solution is the network with a number of users in it.
type Solution struct {
	Users      int
	Throughput float64 // units of work per second
	Response   float64 // s, without think time
	// Utilisation of each station, 0..1.
	Utilisation []float64
}

// check refuses what has no solution.
func (n Network) check(users int) error {
	if users < 1 {
		return fmt.Errorf("solve the network: %d users", users)
	}
	total := n.Think
	for _, s := range n.Stations {
		if !(s.Demand >= 0) || math.IsInf(s.Demand, 0) {
			return fmt.Errorf("solve the network: the demand of %s is %v, not a time", s.Name, s.Demand)
		}
		total += s.Demand
	}
	if !(n.Think >= 0) || math.IsInf(total, 0) || total <= 0 {
		return fmt.Errorf("solve the network: think time %v and the demands must be times and not all 0", n.Think)
	}
	return nil
}

// Solve returns the exact solutions for 1 to users users, by mean-value analysis (Reiser
// and Lavenberg, "Mean-Value Analysis of Closed Multichain Queueing Networks", JACM 27(2),
// 1980). With several servers at a station that recursion loses its digits near saturation,
// so the same figures are computed from normalisation constants, X(n) = G(n-1)/G(n) (Buzen,
// "Computational Algorithms for Closed Queueing Networks with Exponential Servers", CACM
// 16(9), 1973), in logarithms.
func (n Network) Solve(users int) ([]Solution, error) {
	if err := n.check(users); err != nil {
		return nil, err
	}
	g := n.weights(users, none)
	out := make([]Solution, users)
	for i := range out {
		out[i] = n.solution(i+1, math.Exp(g[i]-g[i+1]))
	}
	return out, nil
}

// none is no station's place.
const none = -1

// weights are the logarithms of the normalisation constants for 0 to users users, without the
// station at a place.
func (n Network) weights(users, without int) []float64 {
	g := logDelay(n.Think, users)
	for i, s := range n.Stations {
		if s.Demand > 0 && i != without {
			g = convolve(g, logStation(s, users))
		}
	}
	return g
}

// Queues returns the mean number of units of work at each station, waiting or in service, with a
// number of users in the network: the sum of j times the probability f(j)G'(N-j)/G(N) that j are
// there, where G' is without the station (Buzen, 1973). By Little's law each, over the
// throughput, is the time that a unit of work spends at the station.
func (n Network) Queues(users int) ([]float64, error) {
	if err := n.check(users); err != nil {
		return nil, err
	}
	whole, out := n.weights(users, none)[users], make([]float64, len(n.Stations))
	for i, s := range n.Stations {
		if s.Demand == 0 {
			continue
		}
		at, others := logStation(s, users), n.weights(users, i)
		for j := 1; j <= users; j++ {
			out[i] += float64(j) * math.Exp(at[j]+others[users-j]-whole)
		}
	}
	return out, nil
}

// solution derives the rest from the throughput: response by Little's law,
// R = N/X - Z, and utilisation by the utilisation law, U = X*D/m.
func (n Network) solution(users int, throughput float64) Solution {
	total, _ := n.demands()
	s := Solution{
		Users: users, Throughput: throughput,
		Response:    max(total, float64(users)/throughput-n.Think),
		Utilisation: make([]float64, len(n.Stations)),
	}
	for i, st := range n.Stations {
		s.Utilisation[i] = min(1, throughput*st.Demand/float64(max(st.Servers, 1)))
	}
	return s
}

// logDelay is ln(Z^j/j!), the weight of j users who think.
func logDelay(think float64, users int) []float64 {
	out := make([]float64, users+1)
	for j := 1; j <= users; j++ {
		out[j] = out[j-1] + math.Log(think/float64(j)) // -Inf without think time
	}
	return out
}

// logStation is ln(D^j / prod min(i,m)), the weight of j units of work at a station.
func logStation(s Station, users int) []float64 {
	out := make([]float64, users+1)
	for j := 1; j <= users; j++ {
		out[j] = out[j-1] + math.Log(s.Demand/float64(min(j, max(s.Servers, 1))))
	}
	return out
}

// negligible is how far below the largest term, in logarithms, a term no
// longer changes a sum of float64.
const negligible = 45

// convolve adds a station: next[n] = sum over j of station[j]*g[n-j]. Both
// sequences are log-concave, and so are the terms: they fall to both sides of
// their largest, which only moves up with n.
func convolve(g, station []float64) []float64 {
	next := make([]float64, len(g))
	top := 0
	for n := range next {
		term := func(j int) float64 { return station[j] + g[n-j] }
		for top < n && term(top+1) >= term(top) {
			top++
		}
		largest := term(top)
		sum := 0.0
		for j := top; j >= 0 && term(j) > largest-negligible; j-- {
			sum += math.Exp(term(j) - largest)
		}
		for j := top + 1; j <= n && term(j) > largest-negligible; j++ {
			sum += math.Exp(term(j) - largest)
		}
		next[n] = largest + math.Log(sum)
	}
	return next
}

// Bounds are the asymptotic bounds for a number of users: throughput at most
// min(N/(D+Z), 1/Dmax) and response time at least max(D, N*Dmax-Z), where Dmax
// is the largest demand per server (Denning and Buzen, 1978; Lazowska et al.,
// "Quantitative System Performance", 1984, chapter 5).
func (n Network) Bounds(users float64) (throughput, response float64) {
	total, largest := n.demands()
	throughput = users / (total + n.Think)
	if largest > 0 {
		throughput = min(throughput, 1/largest)
	}
	return throughput, max(total, users*largest-n.Think)
}

// Knee is the number of users at which the two bounds on throughput meet,
// N* = (D+Z)/Dmax.
func (n Network) Knee() float64 {
	total, largest := n.demands()
	if largest == 0 {
		return math.Inf(1)
	}
	return (total + n.Think) / largest
}

// demands sums the demands and finds the largest per server.
func (n Network) demands() (total, largest float64) {
	for _, s := range n.Stations {
		total += s.Demand
		largest = max(largest, s.Demand/float64(max(s.Servers, 1)))
	}
	return total, largest
}

// Bottleneck is the index of the station with the largest demand per server,
// -1 when there is none.
func (n Network) Bottleneck() int {
	best, largest := -1, 0.0
	for i, s := range n.Stations {
		if d := s.Demand / float64(max(s.Servers, 1)); d > largest {
			best, largest = i, d
		}
	}
	return best
}

// Growth is the mean response time of an M/M/m queue with so many servers, over that when
// it is idle: 1 + C/(m(1-U)), with the probability of waiting C by Erlang's formula
// (Kleinrock, "Queueing Systems I", 1975, section 3.5). A utilisation of 1, or more,
// counts as 0.999.
func Growth(servers int, utilisation float64) float64 {
	m, u := float64(servers), min(utilisation, 0.999)
	lost := 1.0 // Erlang's B, by recursion over the servers
	for k := 1.0; k <= m; k++ {
		lost = m * u * lost / (k + m*u*lost)
	}
	waits := lost / (1 - u*(1-lost))
	return 1 + waits/(m*(1-u))
}
