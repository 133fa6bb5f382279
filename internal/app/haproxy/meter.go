package haproxy

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
)

// Gauge implements app.Meter.
func (Engine) Gauge() describe.Gauge { return describe.Gauge{Name: "requests"} }

// Read counts the requests that are with the gateways, requests that wait for one, and each
// gateway's share so far. There is room for more than there are users.
func (Engine) Read(ctx context.Context, e endpoint.Endpoint) (describe.Reading, error) {
	all, err := status(ctx, e)
	if err != nil {
		return describe.Reading{}, err
	}
	var passed []describe.Traffic
	for _, row := range all {
		switch {
		case row["# pxname"] != pool:
		case row["svname"] == "BACKEND": // after the gateways
			return describe.Reading{Busy: number(row["scur"]), Capacity: math.NaN(), Waiting: number(row["qcur"]), Passed: passed}, nil
		default:
			passed = append(passed, describe.Traffic{To: row["svname"], Requests: number(row["stot"]), Bytes: number(row["bin"]) + number(row["bout"])})
		}
	}
	return describe.Reading{}, fmt.Errorf("read the status of HAProxy at %s: it has no gateways", e.Address)
}

func number(text string) float64 {
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n
	}
	return math.NaN()
}

// ready asks the balancer for its status.
func ready(ctx context.Context, e endpoint.Endpoint) error {
	_, err := status(ctx, e)
	return err
}

// status has the balancer's counters for itself and for each gateway, by the names of the
// columns.
func status(ctx context.Context, e endpoint.Endpoint) ([]map[string]string, error) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // no proxy of the machine
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+e.Address+statusPath+";csv", nil)
	if err != nil {
		return nil, fmt.Errorf("ask HAProxy: %w", err)
	}
	request.SetBasicAuth(app.Admin, statusPassword(e.Password))
	answer, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask HAProxy for its status: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("ask HAProxy for its status at %s: it answered %s", e.Address, answer.Status)
	}
	lines, err := csv.NewReader(io.LimitReader(answer.Body, 1<<20)).ReadAll()
	if err != nil || len(lines) == 0 {
		return nil, fmt.Errorf("read the status of HAProxy at %s: %d lines, %w", e.Address, len(lines), err)
	}
	var all []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for n, column := range lines[0] {
			row[column] = line[n]
		}
		all = append(all, row)
	}
	return all, nil
}
