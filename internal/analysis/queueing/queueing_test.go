package queueing

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > relative*max(math.Abs(want), 1e-12) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestUSLRecoversItsParameters(t *testing.T) {
	truth := USL{Lambda: 1000, Sigma: 0.02, Kappa: 0.0003}
	n := []float64{1, 2, 4, 8, 16, 32, 64}
	x := make([]float64, len(n))
	for i := range n {
		x[i] = truth.At(n[i])
	}
	u, err := FitUSL(n, x)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "lambda", u.Lambda, 1000, 1e-4)
	near(t, "sigma", u.Sigma, 0.02, 1e-3)
	near(t, "kappa", u.Kappa, 0.0003, 1e-3)
	at, peak := u.Peak()
	near(t, "peak at", at, math.Sqrt(0.98/0.0003), 1e-3)
	near(t, "peak", peak, truth.At(at), 1e-3)
	low, high, ok := u.Band(128, 0.95)
	if !ok || low > truth.At(128)*1.001 || high < truth.At(128)*0.999 {
		t.Errorf("band %v to %v around %v", low, high, truth.At(128))
	}
}

func TestUSLWithoutCoherencyHasNoPeak(t *testing.T) {
	u, err := FitUSL([]float64{1, 2, 4, 8}, []float64{100, 200, 400, 800})
	if err != nil {
		t.Fatal(err)
	}
	if at, _ := u.Peak(); at != 0 && at < 1000 {
		t.Errorf("a straight line peaks at %v", at)
	}
}

func TestUSLRefusesNonsense(t *testing.T) {
	for _, c := range [][2][]float64{
		{{1, 2}, {1, 2}}, {{1, 2, 3}, {1, 2}}, {{1, 2, 3}, {1, 0, 3}}, {{1, 2, 3}, {1, math.NaN(), 3}}, {{0, 2, 3}, {1, 2, 3}}, {{1, 2, 3}, {1, math.Inf(1), 3}},
	} {
		if _, err := FitUSL(c[0], c[1]); err == nil {
			t.Errorf("FitUSL(%v, %v) succeeded", c[0], c[1])
		}
	}
}

func TestUSLIsFiniteOnAnyPoints(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		count := rapid.IntRange(3, 8).Draw(r, "count")
		n, x := make([]float64, count), make([]float64, count)
		for i := range n {
			n[i] = float64(i*i + 1)
			x[i] = rapid.Float64Range(0.001, 1e9).Draw(r, "x")
		}
		u, err := FitUSL(n, x)
		if err != nil {
			r.Fatal(err)
		}
		for _, v := range []float64{u.Lambda, u.Sigma, u.Kappa, u.At(100)} {
			if math.IsNaN(v) || v < 0 {
				r.Fatalf("%+v", u)
			}
		}
	})
}

// The network of Lazowska et al., "Quantitative System Performance", section
// 6.4: a processor of 0.605 s, disks of 2.1 s and 1.35 s, think time 15 s. One
// user and two are done by hand; three make 0.152 orders a second.
func TestSolutionByHand(t *testing.T) {
	net := Network{Think: 15, Stations: []Station{{"cpu", 0.605, 1}, {"disk1", 2.1, 1}, {"disk2", 1.35, 1}}}
	all, err := net.Solve(3)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "X(1)", all[0].Throughput, 1/(15+4.055), 1e-9)
	near(t, "R(1)", all[0].Response, 4.055, 1e-9)
	near(t, "R(2)", all[1].Response, 4.055+(0.605*0.605+2.1*2.1+1.35*1.35)/19.055, 1e-9)
	near(t, "X(3)", all[2].Throughput, 0.1525, 1e-2)
}

// meanValue solves a network of single servers by the recursion of Reiser and
// Lavenberg, an independent way to the same exact figures.
func meanValue(n Network, users int) float64 {
	queue := make([]float64, len(n.Stations))
	throughput := 0.0
	for count := 1; count <= users; count++ {
		response := 0.0
		for i, s := range n.Stations {
			response += s.Demand * (1 + queue[i])
		}
		throughput = float64(count) / (n.Think + response)
		for i, s := range n.Stations {
			queue[i] = throughput * s.Demand * (1 + queue[i])
		}
	}
	return throughput
}

// direct sums the product form without logarithms, for few users.
func direct(n Network, users int) float64 {
	g := make([]float64, users+1)
	f := 1.0
	for j := range g {
		if j > 0 {
			f *= n.Think / float64(j)
		}
		g[j] = f
	}
	for _, s := range n.Stations {
		next := make([]float64, users+1)
		for total := range next {
			weight := 1.0
			for j := 0; j <= total; j++ {
				if j > 0 {
					weight *= s.Demand / float64(min(j, max(s.Servers, 1)))
				}
				next[total] += weight * g[total-j]
			}
		}
		g = next
	}
	return g[users-1] / g[users]
}

func anyNetwork(r *rapid.T, servers int) Network {
	net := Network{Think: rapid.Float64Range(0, 5).Draw(r, "think")}
	for range rapid.IntRange(1, 5).Draw(r, "stations") {
		net.Stations = append(net.Stations, Station{
			Demand:  rapid.Float64Range(0.01, 1).Draw(r, "demand"),
			Servers: rapid.IntRange(1, servers).Draw(r, "servers"),
		})
	}
	return net
}

func TestSolutionIsThatOfMeanValueAnalysis(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		net := anyNetwork(r, 1)
		users := rapid.IntRange(1, 300).Draw(r, "users")
		all, err := net.Solve(users)
		if err != nil {
			r.Fatal(err)
		}
		if got, want := all[users-1].Throughput, meanValue(net, users); math.Abs(got-want) > 1e-9*want {
			r.Fatalf("%+v with %d users: %v, by the recursion %v", net, users, got, want)
		}
	})
}

func TestSolutionWithSeveralServersIsTheProductForm(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		net := anyNetwork(r, 6)
		users := rapid.IntRange(1, 30).Draw(r, "users")
		all, err := net.Solve(users)
		if err != nil {
			r.Fatal(err)
		}
		if got, want := all[users-1].Throughput, direct(net, users); math.Abs(got-want) > 1e-9*want {
			r.Fatalf("%+v with %d users: %v, directly %v", net, users, got, want)
		}
	})
}

func TestSolutionKeepsTheOperationalLaws(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		net := anyNetwork(r, 64)
		all, err := net.Solve(400)
		if err != nil {
			r.Fatal(err)
		}
		for i, s := range all {
			bound, least := net.Bounds(float64(s.Users))
			if s.Throughput > bound*(1+1e-9) || s.Response < least*(1-1e-9) {
				r.Fatalf("%d users: X %v above %v or R %v below %v", s.Users, s.Throughput, bound, s.Response, least)
			}
			if i > 0 && s.Throughput < all[i-1].Throughput*(1-1e-9) {
				r.Fatalf("throughput falls at %d users", s.Users)
			}
		}
	})
}

func TestManyUsersWithALongThinkTimeDoNotOverflow(t *testing.T) {
	net := Network{Think: 60, Stations: []Station{{"cpu", 0.002, 16}, {"disk", 0.001, 1}}}
	all, err := net.Solve(10000)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "X(10000)", all[9999].Throughput, 10000/60.003, 1e-3)
}

func TestNetworkRefusesNonsense(t *testing.T) {
	for _, n := range []Network{
		{}, {Think: -1}, {Think: math.NaN()}, {Think: math.Inf(1)},
		{Stations: []Station{{"a", -1, 1}}}, {Stations: []Station{{"a", math.NaN(), 1}}},
	} {
		if _, err := n.Solve(3); err == nil {
			t.Errorf("%+v was solved", n)
		}
	}
	if _, err := (Network{Think: 1}).Solve(0); err == nil {
		t.Error("no users were accepted")
	}
}

// One server, two servers, and a closed network of so many users that it is as good as open.
func TestGrowthIsThatOfAnMMmQueue(t *testing.T) {
	for _, u := range []float64{0, 0.3, 0.73, 0.9} {
		near(t, "one server", Growth(1, u), 1/(1-u), 1e-9)
		near(t, "two servers", Growth(2, u), 1/(1-u*u), 1e-9)
	}
	const users, demand, servers = 5000, 0.01, 12
	for _, u := range []float64{0.5, 0.88} {
		n := Network{Think: users * demand / (servers * u), Stations: []Station{{Demand: demand, Servers: servers}}}
		all, err := n.Solve(users)
		if err != nil {
			t.Fatal(err)
		}
		last := all[users-1]
		near(t, "twelve servers", Growth(servers, last.Utilisation[0]), last.Response/demand, 0.01)
	}
	if g := Growth(1, 1.2); math.IsInf(g, 0) || g < 100 {
		t.Errorf("beyond full use it grows %v times", g)
	}
}

// All users are at a station or think, and a single server's queue follows from that with one user
// less: Q(n) = U(n)(1 + Q(n-1)).
func TestQueuesAddUp(t *testing.T) {
	n := Network{Think: 0.3, Stations: []Station{{"cpu", 0.02, 4}, {"disk", 0.012, 1}, {"none", 0, 1}}}
	all, err := n.Solve(30)
	if err != nil {
		t.Fatal(err)
	}
	before := 0.0
	for users := 1; users <= 30; users++ {
		queues, err := n.Queues(users)
		if err != nil {
			t.Fatal(err)
		}
		s := all[users-1]
		near(t, "all users", queues[0]+queues[1]+queues[2]+s.Throughput*n.Think, float64(users), 1e-9)
		near(t, "the disk's queue", queues[1], s.Utilisation[1]*(1+before), 1e-9)
		before = queues[1]
	}
	if _, err := n.Queues(0); err == nil {
		t.Error("no users have queues")
	}
}
