package describe

// Gauge is something of a server that a request occupies while the server works
// on it, as a worker process or a connection. Requests wait when all are busy,
// although no CPU and no device need be.
type Gauge struct {
	Name string `json:"name"` // in the plural: workers
	// Setting is the engine's setting that raises the limit, or "" if none does.
	Setting string `json:"setting,omitempty"`
}

// Reading is the state of a gauge at a moment. Unknown values are NaN.
type Reading struct {
	Busy     float64 // how many are in use
	Capacity float64 // how many there are
	Waiting  float64 // requests that wait for one
	// Passed is the traffic to each server behind this one, if it passes requests on.
	Passed []Traffic
}

// Traffic counts the requests that a server has passed on to one behind it since its start.
type Traffic struct {
	To       string // gateway-1
	Requests float64
	Bytes    float64 // of requests and answers
}
