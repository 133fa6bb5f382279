// Package machine looks at the machine that Plimsoll runs on: Inventory for
// the record (machine.json), Doctor for what can and cannot be done here and
// how to repair it. It changes nothing.
package machine

import (
	"bufio"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Cores is the number of cores that this process may use.
func Cores() int { return runtime.NumCPU() }

// AvailableMemory is the memory in bytes that can be had without swapping, 0
// when it is not known.
func AvailableMemory() int64 { return meminfo()["MemAvailable"] }

// Memory is the size of the machine's memory in bytes, 0 when it is not known.
func Memory() int64 { return meminfo()["MemTotal"] }

// meminfo reads /proc/meminfo in bytes.
func meminfo() map[string]int64 {
	values := map[string]int64{}
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return values
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, rest, ok := strings.Cut(lines.Text(), ":")
		fields := strings.Fields(rest)
		if !ok || len(fields) == 0 {
			continue
		}
		n, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil {
			continue
		}
		if len(fields) > 1 && fields[1] == "kB" {
			n *= 1024
		}
		values[key] = n
	}
	return values
}
