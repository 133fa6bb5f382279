package untrusted

// The largest files that are read, in bytes, by kind. A larger one is refused by its size,
// before anything of it is read; docs/results.md lists them for users.
const (
	MostInput    = 1 << 20   // a file that a user names: a study, prices, a configuration, a secret
	MostDocument = 256 << 20 // JSON and YAML of a run; a plan of a thousand trials has less than a megabyte
	MostJournal  = 1 << 30   // journal.jsonl; a thing that is made takes about a kilobyte
	MostSeries   = 1 << 30   // telemetry.parquet; half an hour of ten thousand instances has about a hundred megabytes
	MostRecords  = 64 << 30  // operations.jsonl, which is read line by line; a day of five operations has about ten gigabytes
)
