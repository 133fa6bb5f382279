package trust

// Forms of warnings about what trials lack.
const (
	TelemetryNone Form = "none"

	LostFile      Form = "telemetry" // the file of all series
	LostRecords   Form = "record"    // a file that trial.json sums up: its figures stand, and cannot be checked
	LostInstances Form = "instances" // the figures of some instances
	LostSamples   Form = "samples"   // samples of a part of the measured phase
	LostMachine   Form = "machine"   // all samples of a machine
	LostResults   Form = "results"   // of whole trials
	LostTrials    Form = "trials"    // without a usable result
	LostPlan      Form = "run"       // a file of the run itself

	FoundProblem   Form = "problem"   // a file is missing or damaged
	FoundInstances Form = "few"       // the figures of fewer instances
	FoundNoSample  Form = "no-sample" // a machine is listed and was not sampled
	FoundNoFigure  Form = "no-figure" // a machine was sampled and has no figure
	FoundNoSeries  Form = "no-series" // a machine has figures and no series

	LengthUnknown   Form = "unknown"
	LengthShort     Form = "short"
	LengthNoCycles  Form = "no-cycles"
	CutOffUsers     Form = "users"
	StonewallFaster Form = "faster-at-first"

	CountNone        Form = "none"
	CountNoRate      Form = "no-rate"
	CountNo95        Form = "no-p95"
	CountNoFar       Form = "no-p99"
	RecordsOne       Form = "one-problem"
	RecordsSeveral   Form = "several-problems"
	RecordsMissing   Form = "missing-seconds"
	ErrorsLimited    Form = "limited"
	ErrorsUnlimited  Form = "unlimited"
	ExhaustedUnits   Form = "units"
	ExcludedSome     Form = "instances"
	ExcludedInstance Form = "instance"
	ExcludedOnNode   Form = "instance-on-machine"
	ExcludedMore     Form = "more-instances"
)

// Forms of warnings about the load.
const (
	LoopLost          Form = "time-lost"
	LoopMore          Form = "more-users"
	LoopUnits         Form = "units"
	LoopUnitsThink    Form = "units-and-think-time"
	LoopConnecting    Form = "connecting"
	LoopHeldUp        Form = "held-up"
	AuditNone         Form = "none"
	AuditNoneBecause  Form = "none-because"
	AuditFailed       Form = "failed"
	AuditImpossible   Form = "impossible"
	LateUsers         Form = "users"
	LateSchedule      Form = "schedule"
	LateNoThinkTime   Form = "without-think-time"
	LateThinkTime     Form = "with-think-time"
	DriverShare       Form = "share"
	DriverOnVolume    Form = "share-outside-kernel"
	DriverPeak        Form = "peak"
	DriverThreads     Form = "threads"
	DriverMachine     Form = "own-machine"
	DriverQuota       Form = "quota"
	DriverCeilingNear Form = "ceiling"
)

// Forms of warnings about machines and storage.
const (
	StealGiven          Form = "share"
	HeatThrottled       Form = "throttled"
	ClockMoved          Form = "moved"
	BackgroundUsed      Form = "share"
	BackgroundKernel    Form = "kernel"
	BackgroundKernelNew Form = "kernel-with-load"
	BackgroundServer    Form = "storage"
	BackgroundServerNew Form = "storage-with-load"
	BackgroundPrograms  Form = "programs"
	BackgroundProcesses Form = "processes"
	MemoryMachine       Form = "machine"
	MemoryGroup         Form = "group"
	DeviceContradiction Form = "contradiction"
	LimitsMemory        Form = "memory"
	LimitsCPU           Form = "cpu"
	ThrottledInstance   Form = "instance"
	KilledProcesses     Form = "processes"
	KilledContainer     Form = "container"
	KilledDriver        Form = "driver"
	KilledInstance      Form = "instance"
	KilledServer        Form = "server"
	KilledAtLimit       Form = "limit"
	CacheInstance       Form = "instance"
	CacheMachine        Form = "machine"
	CacheRestored       Form = "restored"
	StorageRecorded     Form = "recorded"
	StorageLate         Form = "late"
	DurabilitySettings  Form = "settings"
	DurabilityFlushes   Form = "flushes"
)

// Forms of warnings about unsteady work.
const (
	StallWhole     Form = "stall"
	StallAlone     Form = "only-stall"
	StallAtEnd     Form = "waiting-at-end"
	StallOnce      Form = "once"
	StallOften     Form = "several"
	StallEven      Form = "evenly"
	StallAll       Form = "all"
	StallInstance  Form = "instance"
	StallToEnd     Form = "to-the-end"
	StallFromStart Form = "from-the-start"
	StallFrom      Form = "from"
	StallDue       Form = "due"
	StallNobody    Form = "nobody"
	StallUnderWay  Form = "under-way"
	StallIncluded  Form = "included"
	StallHidden    Form = "hidden"
	StallCorrected Form = "corrected"

	OfThroughput Form = "throughput"
	OfResponse   Form = "response"

	WarmUpShort Form = "too-short"
	DriftUp     Form = "rose"
	DriftDown   Form = "fell"
	ShiftUp     Form = "rose"
	ShiftDown   Form = "fell"
	DipOnce     Form = "once"
	BurstOnce   Form = "once"
	DipsTwice   Form = "twice"
	DipsEven    Form = "evenly"
	BurstsTwice Form = "twice"
	BurstsEven  Form = "evenly"
	WaveFew     Form = "few"
	WaveEven    Form = "evenly"
)

// Forms of warnings about repetitions, rungs and runs.
const (
	RepetitionOnly    Form = "only"
	OutlierThroughput Form = "throughput"
	SequenceChanged   Form = "changed"
	PercentilesWorst  Form = "worst"
	DamagedTrial      Form = "trial"
	DamagedObjective  Form = "objective"
	DamagedPlan       Form = "plan"
	DamagedFile       Form = "file"
	FailedBecause     Form = "because"
	UnfinishedTrial   Form = "trial"
	LeftOutFor        Form = "attempt"
	LeftOutSpoiled    Form = "spoiled-attempt"
	RetriesUsedUp     Form = "retries-used-up"
	SteadilyBusyNow   Form = "steadily"
	RunningToCome     Form = "to-come"
	RunningSoFar      Form = "so-far"
	MissingOfVariant  Form = "variant"
	MissingAllAt      Form = "all-at-rung"
	MissingSomeAt     Form = "some-at-rung"
	PricesLeftOut     Form = "left-out"
	BaselineLeftOut   Form = "left-out"
	BaselineOther     Form = "other-work"
)

// Forms of warnings about comparisons and sizings.
const (
	DifferentLoad     Form = "load"
	DifferentData     Form = "data"
	DifferentMachines Form = "machines"
	DifferentFailures Form = "failures"
	DifferentTimes    Form = "times"
	UnmeasuredBasis   Form = "no-results"
	NotLimitingBasis  Form = "storage"
	OtherMediaServer  Form = "server"
	ReducedProfile    Form = "profile"
	SimulatedMedia    Form = "media"
	PoorGradeOf       Form = "grade"
	SourceModels      Form = "models"
	RoomAndNetwork    Form = "room-and-network"
	NoPriceOf         Form = "models"
)
