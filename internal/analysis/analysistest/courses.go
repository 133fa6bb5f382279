package analysistest

import "math"

// Course is a made-up series of a kind that the analysis has a name for.
type Course struct {
	Name  string
	Kind  string // of the warning that is right, empty for none
	Level func(second int) float64
}

// Courses are series of so many seconds, at least 120, that do what their names say.
func Courses(seconds int) []Course {
	end := float64(seconds)
	share := func(i int) float64 { return (float64(i) + 0.5) / end }
	while := func(level float64, is func(i int) bool) func(int) float64 {
		return func(i int) float64 {
			if is(i) {
				return level
			}
			return 1000
		}
	}
	return []Course{
		{"steady", "", nil},
		{"climbs from 55 to 94 % of its end, exponentially", "drift", func(i int) float64 { return 1000 * (1 - 0.45*math.Exp(-2.015*share(i))) }},
		{"… in a line", "drift", func(i int) float64 { return 1000 * (0.55 + 0.39*share(i)) }},
		{"… as a logarithm", "drift", func(i int) float64 { return 1000 * (0.55 + 0.39*math.Log1p(20*share(i))/math.Log1p(20)) }},
		{"… as a root", "drift", func(i int) float64 { return 1000 * (0.55 + 0.39*math.Sqrt(share(i))) }},
		{"… in an S", "drift", func(i int) float64 { return 1000 * (0.55 + 0.39/(1+math.Exp(-8*(share(i)-0.5)))) }},
		{"… faster and faster", "drift", func(i int) float64 { return 1000 * (0.55 + 0.39*share(i)*share(i)) }},
		{"declines by 30 % in a line", "drift", func(i int) float64 { return 1000 * (1 - 0.3*share(i)) }},
		{"warms up for 15 s", "warm-up", func(i int) float64 { return 1000 * (1 - 0.5*math.Exp(-float64(i)/5)) }},
		{"stands still for 10 s", "stall", while(0, func(i int) bool { return i >= seconds/3 && i < seconds/3+10 })},
		{"stands still for the last 3 s", "stall", while(0, func(i int) bool { return i >= seconds-3 })},
		{"dips by 60 % for 4 s each fifth of the phase", "dips", while(400, func(i int) bool { return (i+7)%(seconds/5) < 4 })},
		{"dips by 40 % for 3 s every 25 s", "dips", while(600, func(i int) bool { return i%25 >= 12 && i%25 < 15 })},
		{"dips by 50 % for 6 s twice, 50 s apart", "dips", while(500, func(i int) bool { return i >= seconds/4 && (i-seconds/4)%50 < 6 && i < seconds/4+60 })},
		{"dips by 30 % every other second", "dips", while(700, func(i int) bool { return i%2 == 1 })},
		{"doubles for 3 s every 30 s", "bursts", while(2000, func(i int) bool { return i%30 >= 20 && i%30 < 23 })},
		{"swings by 30 % either way, as a sine of 60 s", "wave", func(i int) float64 { return 1000 + 300*math.Sin(2*math.Pi*float64(i)/60) }},
		{"dips by 60 % for 10 s once", "dip", while(400, func(i int) bool { return i >= seconds/2 && i < seconds/2+10 })},
		{"falls by 20 % to the middle and recovers, as a V", "dip", func(i int) float64 { return 1000 * (0.8 + 0.4*math.Abs(share(i)-0.5)) }},
		{"falls by 20 % to a fifth of the phase and recovers to the end", "dip", func(i int) float64 { return 1000 * (1 - 0.2*min(share(i)/0.2, (1-share(i))/0.8)) }},
		{"rises by 20 % to the middle and falls back, as a hump", "burst", func(i int) float64 { return 1000 * (1.2 - 0.4*math.Abs(share(i)-0.5)) }},
		{"rises by 30 % and falls back, as half a sine", "burst", func(i int) float64 { return 1000 * (1 + 0.3*math.Sin(math.Pi*share(i))) }},
		{"falls by 20 % from a seventh of the phase to six sevenths", "dip", while(800, func(i int) bool { return i >= seconds/7 && i < seconds*6/7 })},
		{"dips by 30 % for a tenth of the phase near its end", "dip", while(700, func(i int) bool { return i >= seconds*17/20 && i < seconds*19/20 })},
		{"falls by half for two fifths of the phase", "dip", while(500, func(i int) bool { return i >= seconds/4 && i < seconds*13/20 })},
		{"doubles for 10 s once", "burst", while(2000, func(i int) bool { return i >= seconds/2 && i < seconds/2+10 })},
		{"stands still for the first 3 s", "stall", while(0, func(i int) bool { return i < 3 })},
		{"stops half way", "stall", while(0, func(i int) bool { return i >= seconds/2 })},
		{"decays to a seventh", "drift", func(i int) float64 { return 1000 * math.Exp(-2*share(i)) }},
		{"falls to a fifth for the last 5 s", "shift", while(200, func(i int) bool { return i >= seconds-5 })},
		{"is a sawtooth of 20 s", "dips", func(i int) float64 { return 1000 * (0.6 + 0.02*float64(i%20)) }},
		{"falls by 20 % for good", "shift", while(800, func(i int) bool { return i >= seconds*2/5 })},
		{"rises by 30 % for good", "shift", while(1300, func(i int) bool { return i >= seconds*3/5 })},
	}
}
