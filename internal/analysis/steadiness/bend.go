package steadiness

// knots are where a line may turn, as shares of the phase: closer together at its beginning,
// where warm-ups are.
var knots = []float64{0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.125, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95}

// mostTurns is how often a line may turn. Any other shape then leaves a residual that is
// small compared with its effect.
const mostTurns = 2

// bends tries a straight line and lines that turn at one moment or two (continuous piecewise
// linear regression with unknown breaks; Hudson, "Fitting Segmented Curves Whose Join Points
// Have to Be Estimated", Journal of the American Statistical Association 61, 1966). All that
// goes on changing is near one of them: approaches to a level, ramps, a V, a hump, half a sine.
func (p points) bends() []shape {
	columns := p.turning()
	best, least := make([]shape, mostTurns+1), make([]float64, mostTurns+1)
	for i := range columns.cross {
		for j := i; j < len(columns.cross); j++ {
			use := []int{0}
			if i > 0 {
				use = append(use, i)
			}
			if j > i {
				use = append(use, j)
			}
			turns := len(use) - 1
			if slopes, e := columns.solve(use); e > least[turns] {
				least[turns], best[turns] = e, bent(use, slopes)
			}
		}
	}
	return best
}

// bent is the line of such slopes, each added at the knot of its column.
func bent(use []int, slopes []float64) shape {
	s := shape{family: bend, turns: make([]float64, 0, mostTurns)}
	for _, column := range use[1:] {
		s.turns = append(s.turns, knots[column-1])
	}
	s.curve = func(x float64) float64 {
		v := slopes[0] * x
		for i, knot := range s.turns {
			v += slopes[i+1] * max(0, x-knot)
		}
		return v
	}
	return s
}

// regressors are the candidates to explain a series: the sums of products of their values
// with each other and with the series, each about its mean.
type regressors struct {
	products [][]float64
	cross    []float64
}

// turning are a straight line, and one that begins at each knot.
func (p points) turning() (r regressors) {
	y, all := centred(p.y), [][]float64{centred(p.x)}
	for _, knot := range knots {
		all = append(all, centred(p.values(func(x float64) float64 { return max(0, x-knot) })))
	}
	for _, a := range all {
		products := make([]float64, len(all))
		for j, b := range all {
			products[j] = dot(a, b)
		}
		r.products, r.cross = append(r.products, products), append(r.cross, dot(a, y))
	}
	return r
}

// singular is the share of a regressor's square that must remain after the other regressors
// explain it.
const singular = 1e-9

// solve gives the coefficients of some of them by least squares (Gaussian elimination), and
// by how much they lower the sum of squares about the mean; 0 where one is made up of others.
func (r regressors) solve(use []int) (coefficients []float64, explains float64) {
	n := len(use)
	m, right := make([][]float64, n), make([]float64, n)
	for i, a := range use {
		right[i] = r.cross[a]
		m[i] = make([]float64, n)
		for j, b := range use {
			m[i][j] = r.products[a][b]
		}
	}
	for c := range n {
		if m[c][c] <= singular*r.products[use[c]][use[c]] {
			return nil, 0
		}
		for i := c + 1; i < n; i++ {
			f := m[i][c] / m[c][c]
			right[i] -= f * right[c]
			for j := c; j < n; j++ {
				m[i][j] -= f * m[c][j]
			}
		}
	}
	coefficients = make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		coefficients[i] = (right[i] - dot(m[i][i+1:], coefficients[i+1:])) / m[i][i]
		explains += coefficients[i] * r.cross[use[i]]
	}
	return coefficients, explains
}

func centred(y []float64) []float64 {
	mean, out := Mean(y), make([]float64, len(y))
	for i, v := range y {
		out[i] = v - mean
	}
	return out
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
