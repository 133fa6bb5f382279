package tables

import "time"

// Rows of the tables. The tag parquet names the column; an optional column is null if
// nothing was measured or recorded. The tag about describes it, in the same words as
// docs/tables.md.

type runRow struct {
	Run       string    `parquet:"run" about:"name of the run directory; joins all tables"`
	Study     string    `parquet:"study" about:"short name of the study"`
	Title     string    `parquet:"title,optional" about:"title of the study"`
	Profile   string    `parquet:"profile,optional" about:"profile that was laid over the study"`
	Reduced   bool      `parquet:"reduced" about:"the profile is smaller than what the study is about"`
	Simulated bool      `parquet:"simulated" about:"some media are simulated"`
	Workload  string    `parquet:"workload" about:"what the users did"`
	Unit      string    `parquet:"unit" about:"unit of throughput"`
	Plimsoll  string    `parquet:"plimsoll,optional" about:"version that measured"`
	Started   time.Time `parquet:"started,optional,timestamp(millisecond:local)" about:"begin of the first trial, UTC"`
	Ended     time.Time `parquet:"ended,optional,timestamp(millisecond:local)" about:"end of the last trial, UTC"`
	Grade     string    `parquet:"grade,optional" about:"worst grade of the trials that the verdict rests on, A to F"`
	Answer    string    `parquet:"answer,optional" about:"answer to the study's question in a sentence"`
}

type variantRow struct {
	Run            string            `parquet:"run" about:"name of the run directory"`
	Variant        string            `parquet:"variant" about:"name of the variant"`
	Label          string            `parquet:"label,optional" about:"what reports call it"`
	Factors        map[string]string `parquet:"factors" about:"levels by path of the study's matrix"`
	Simulated      bool              `parquet:"simulated" about:"its medium is simulated"`
	LineRung       int64             `parquet:"line_rung" about:"largest rung that kept every objective, 0 for none"`
	LineNext       int64             `parquet:"line_next,optional" about:"smallest rung above it, which broke one; null where none did"`
	LineOpen       bool              `parquet:"line_open" about:"every rung kept them: the load line lies above"`
	BestRung       int64             `parquet:"best_rung,optional" about:"rung of the highest throughput, within the objectives where any rung keeps them"`
	BestThroughput float64           `parquet:"best_throughput,optional" about:"that throughput"`
	Unit           string            `parquet:"unit" about:"unit of throughput"`
	Cause          string            `parquet:"cause,optional" about:"kind of what limits: saturated, spent, queueing, driver, users, waiting …"`
	Bottleneck     string            `parquet:"bottleneck,optional" about:"resource that limits, or may"`
	Verdict        string            `parquet:"verdict,optional" about:"verdict in a sentence"`
}

type rungRow struct {
	Run            string  `parquet:"run" about:"name of the run directory"`
	Variant        string  `parquet:"variant" about:"name of the variant"`
	Instances      int64   `parquet:"instances" about:"how many ran at once"`
	Repetitions    int64   `parquet:"repetitions" about:"trials that passed"`
	Failed         int64   `parquet:"failed" about:"trials that failed"`
	Unit           string  `parquet:"unit" about:"unit of throughput"`
	Throughput     float64 `parquet:"throughput,optional" about:"median over the repetitions"`
	ThroughputLow  float64 `parquet:"throughput_low,optional" about:"lower bound of its interval"`
	ThroughputHigh float64 `parquet:"throughput_high,optional" about:"upper bound of its interval"`
	times
	Errors     float64 `parquet:"errors" about:"share of the units of work that failed"`
	RolledBack float64 `parquet:"rolled_back" about:"share of the units of work that were rolled back"`
	Efficiency float64 `parquet:"efficiency,optional" about:"throughput per instance over that of the smallest rung"`
	Kept       bool    `parquet:"kept" about:"every objective was kept"`
	Grade      string  `parquet:"grade,optional" about:"worst grade of its trials, A to F"`
}

// times are response times of all repetitions together, from their merged histograms.
type times struct {
	Mean float64 `parquet:"mean_s,optional" about:"mean response time in seconds"`
	P50  float64 `parquet:"p50_s,optional" about:"median response time in seconds"`
	P95  float64 `parquet:"p95_s,optional" about:"95th percentile of the response time in seconds"`
	P99  float64 `parquet:"p99_s,optional" about:"99th percentile of the response time in seconds"`
}

type objectiveRow struct {
	Run       string  `parquet:"run" about:"name of the run directory"`
	Variant   string  `parquet:"variant" about:"name of the variant"`
	Instances int64   `parquet:"instances" about:"how many ran at once"`
	Objective string  `parquet:"objective" about:"the objective as the study has it"`
	Metric    string  `parquet:"metric,optional" about:"what is limited: mean, p95, errors …"`
	Operation string  `parquet:"operation,optional" about:"operation that the metric is of; null for the unit of work"`
	Value     float64 `parquet:"value" about:"what was measured: seconds, or a share"`
	Limit     float64 `parquet:"limit" about:"the limit, as value"`
	Kept      bool    `parquet:"kept" about:"value is within limit, and so is each instance where objectives are of each"`
	Unknown   bool    `parquet:"unknown" about:"the trials did not record the metric"`
}

type operationRow struct {
	Run       string  `parquet:"run" about:"name of the run directory"`
	Variant   string  `parquet:"variant" about:"name of the variant"`
	Instances int64   `parquet:"instances" about:"how many ran at once"`
	Operation string  `parquet:"operation" about:"name of the operation"`
	PerMinute float64 `parquet:"per_minute" about:"how often it was done"`
	times
	Errors int64 `parquet:"errors" about:"how many failed"`
}

type resourceRow struct {
	Run         string  `parquet:"run" about:"name of the run directory"`
	Variant     string  `parquet:"variant" about:"name of the variant"`
	Instances   int64   `parquet:"instances" about:"how many ran at once"`
	Resource    string  `parquet:"resource" about:"name of the resource"`
	Kind        string  `parquet:"kind" about:"its kind: cpu, device, network, quota …"`
	Role        string  `parquet:"role,optional" about:"role of the servers that it belongs to"`
	Machine     string  `parquet:"machine,optional" about:"machine that it belongs to; null for the campaign's own"`
	Utilisation float64 `parquet:"utilisation" about:"share of it that was used"`
	Demand      float64 `parquet:"demand_s,optional" about:"seconds of it per unit of work"`
	Queue       float64 `parquet:"queue,optional" about:"mean number of requests waiting or in service"`
	Servers     float64 `parquet:"servers,optional" about:"how many requests it serves at once"`
}

type timeRow struct {
	Run       string  `parquet:"run" about:"name of the run directory"`
	Variant   string  `parquet:"variant" about:"name of the variant"`
	Instances int64   `parquet:"instances" about:"how many ran at once"`
	Role      string  `parquet:"role,optional" about:"role of the servers, driver or storage; null for what only devices tell"`
	Component string  `parquet:"component" about:"what the time is spent on: running, cpu_wait, device_wait, lock_wait …"`
	Wait      string  `parquet:"wait,optional" about:"name of a wait; its row is part of the component's, where this is null"`
	Resource  string  `parquet:"resource,optional" about:"device that is waited for"`
	Seconds   float64 `parquet:"seconds" about:"of the response time of a unit of work"`
	Low       float64 `parquet:"seconds_low,optional" about:"lower bound of its interval"`
	High      float64 `parquet:"seconds_high,optional" about:"upper bound of its interval"`
	Response  float64 `parquet:"response_s" about:"mean response time that it is part of, in seconds"`
	Counted   bool    `parquet:"counted" about:"states of threads or sessions were measured; else only queues of devices"`
}

type ioRow struct {
	Run           string   `parquet:"run" about:"name of the run directory"`
	Variant       string   `parquet:"variant" about:"name of the variant"`
	Instances     int64    `parquet:"instances" about:"how many ran at once"`
	Layer         string   `parquet:"layer" about:"that requests pass: application, calls, caused, passed_on or device"`
	Of            string   `parquet:"of,optional" about:"role of the servers, driver, or role of the devices"`
	Direction     string   `parquet:"direction" about:"reads or writes"`
	PerUnit       float64  `parquet:"per_unit,optional" about:"requests a unit of work; null where bytes alone are counted"`
	Bytes         float64  `parquet:"bytes,optional" about:"mean size of a request"`
	BytesPerUnit  float64  `parquet:"bytes_per_unit" about:"bytes a unit of work"`
	Amplification float64  `parquet:"amplification,optional" about:"these bytes over the application's or, where unknown, over what processes caused"`
	Merged        *float64 `parquet:"merged,optional" about:"share of requests that became part of others before the device"`
	Sequential    *float64 `parquet:"sequential,optional" about:"share of requests that begin where an earlier one ended"`
}

type trialRow struct {
	Run        string    `parquet:"run" about:"name of the run directory"`
	Trial      string    `parquet:"trial" about:"variant/rung/repetition; its directory below trials"`
	Variant    string    `parquet:"variant" about:"name of the variant"`
	Instances  int64     `parquet:"instances" about:"how many ran at once"`
	Repetition int64     `parquet:"repetition" about:"from 1"`
	Status     string    `parquet:"status" about:"passed, failed or left out (another attempt replaces it)"`
	Cause      string    `parquet:"cause,optional" about:"why it failed"`
	Grade      string    `parquet:"grade,optional" about:"A to F"`
	Started    time.Time `parquet:"started,optional,timestamp(millisecond:local)" about:"common start of the drivers, UTC"`
	Throughput float64   `parquet:"throughput,optional" about:"in the unit of the variant"`
	Mean       float64   `parquet:"mean_s,optional" about:"mean response time of a unit of work in seconds"`
	P95        float64   `parquet:"p95_s,optional" about:"95th percentile of it in seconds"`
	P99        float64   `parquet:"p99_s,optional" about:"99th percentile of it in seconds"`
	Present    *int64    `parquet:"audit_present,optional" about:"acknowledged units of work that its audit found, all there were; null where it did not pass or there was none"`
	Audit      string    `parquet:"audit,optional" about:"outcome of the audit in words"`
}
