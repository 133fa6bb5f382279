package telemetry

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"plimsoll/internal/describe"
)

// networkMetrics are the quantities of a networkSource.
var networkMetrics = []Metric{
	{describe.NetworkKind, "receive_bytes", unitByteps, "bytes received (/proc/net/dev); interfaces of a storage server are named server/interface"},
	{describe.NetworkKind, "send_bytes", unitByteps, "bytes sent"},
	{describe.NetworkKind, "receive_packets", unitPerSec, "packets received"},
	{describe.NetworkKind, "send_packets", unitPerSec, "packets sent"},
	{describe.NetworkKind, "errors", unitPerSec, "packets that failed, both ways"},
	{describe.NetworkKind, "drops", unitPerSec, "packets dropped, both ways"},
	{describe.NetworkKind, "utilisation", unitShare, "the busier direction as a share of the link's speed, where the link is physical and says its speed"},
}

// networkSource samples every interface of one network namespace.
type networkSource struct {
	book       *book
	file       *file
	prefix     string // of the names of its interfaces
	local      bool   // the namespace of Plimsoll itself, whose /sys can be read
	interfaces map[string]*networkInterface
}

// networkInterface is one interface and its last counts.
type networkInterface struct {
	name  string
	used  bool    // it has moved packets, and has series
	speed float64 // bytes/s, NaN when not known
	last  [netColumns]counter

	receiveBytes, sendBytes, receivePackets, sendPackets *column
	errors, drops, utilisation                           *column
}

// Columns of /proc/net/dev after the interface's name (kernel function
// dev_seq_printf_stats).
const (
	netReceiveBytes   = 0
	netReceivePackets = 1
	netReceiveErrors  = 2
	netReceiveDrops   = 3
	netSendBytes      = 8
	netSendPackets    = 9
	netSendErrors     = 10
	netSendDrops      = 11
	netColumns        = 16
)

func newNetworkSource(b *book, f *files) source {
	return &networkSource{book: b, file: f.list("/proc/self/net/dev"), local: true, interfaces: map[string]*networkInterface{}}
}

// newNodeNetworkSource samples the namespace that a process lives in.
func newNodeNetworkSource(b *book, f *files, node string, pid int) *networkSource {
	return &networkSource{
		book: b, file: f.list("/proc/" + strconv.Itoa(pid) + "/net/dev"),
		prefix: node + "/", interfaces: map[string]*networkInterface{},
	}
}

func (s *networkSource) close() { s.file.close() }

func (s *networkSource) sample(elapsed float64) {
	text := s.file.read()
	for len(text) > 0 {
		var l []byte
		l, text = line(text)
		name, counts, ok := bytes.Cut(l, []byte(":"))
		if !ok {
			continue // the two lines of headings
		}
		i, ok := s.interfaces[string(bytes.TrimSpace(name))]
		if !ok {
			i = &networkInterface{name: string(bytes.TrimSpace(name))}
			s.interfaces[i.name] = i
		}
		s.sampleInterface(i, counts, elapsed)
	}
}

// sampleInterface leaves out interfaces that have never moved a packet: most
// machines have several.
func (s *networkSource) sampleInterface(i *networkInterface, counts []byte, elapsed float64) {
	var now [netColumns]uint64
	numbers(counts, now[:])
	if !i.used && now[netReceivePackets]+now[netSendPackets] > 0 {
		s.begin(i)
	}
	i.sample(now, elapsed)
}

// begin makes the series of an interface.
func (s *networkSource) begin(i *networkInterface) {
	c := func(metric string) *column { return s.book.column(describe.NetworkKind, s.prefix+i.name, metric) }
	i.used, i.speed = true, math.NaN()
	i.receiveBytes, i.sendBytes = c("receive_bytes"), c("send_bytes")
	i.receivePackets, i.sendPackets = c("receive_packets"), c("send_packets")
	i.errors, i.drops, i.utilisation = c("errors"), c("drops"), c("utilisation")
	if s.local {
		i.speed = linkSpeed(i.name)
	}
}

// linkSpeed is the speed of a physical link in bytes/s, NaN when it has none
// to tell. Virtual interfaces tell a made-up one and are left out.
func linkSpeed(name string) float64 {
	dir := filepath.Join("/sys/class/net", name)
	if _, err := os.Stat(filepath.Join(dir, "device")); err != nil {
		return math.NaN()
	}
	text, err := os.ReadFile(filepath.Join(dir, "speed"))
	if err != nil {
		return math.NaN()
	}
	megabits, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil || megabits <= 0 {
		return math.NaN()
	}
	return megabits * 1e6 / 8
}

func (i *networkInterface) sample(now [netColumns]uint64, elapsed float64) {
	var d [netColumns]float64
	for n := range d {
		d[n] = i.last[n].since(float64(now[n])) / elapsed
	}
	if !i.used {
		return
	}
	i.receiveBytes.add(d[netReceiveBytes])
	i.sendBytes.add(d[netSendBytes])
	i.receivePackets.add(d[netReceivePackets])
	i.sendPackets.add(d[netSendPackets])
	i.errors.add(d[netReceiveErrors] + d[netSendErrors])
	i.drops.add(d[netReceiveDrops] + d[netSendDrops])
	i.utilisation.add(max(d[netReceiveBytes], d[netSendBytes]) / i.speed)
}
