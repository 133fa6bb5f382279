package warning

import "plimsoll/internal/analysis/trust"

// ofMachines are the warnings about machines, storage and limits.
var ofMachines = []subject{
	{trust.Steal, []sentence{
		{trust.StealGiven, "the hypervisor gave %s of %s's CPU to other guests", "the kernel's counters of that machine"},
	}},
	{trust.Heat, []sentence{
		{trust.HeatThrottled, "the %s throttled because of heat (%s times a second on average)", "the kernel's counters of that machine"},
	}},
	{trust.Clock, []sentence{
		{trust.ClockMoved, "the wall %s moved by %s against the monotonic one during the trial: samples of other machines may be misaligned with the load", "both clocks of that machine"},
	}},
	{trust.Background, []sentence{
		{trust.BackgroundUsed, "%s of %s's CPU was used outside the trial: %s", "CPU time that belongs to nothing in the trial"},
		{trust.BackgroundKernel, "it may be kernel work for the storage", "kernel threads for the storage, and no user code beyond the trial's"},
		{trust.BackgroundKernelNew, "it may be kernel work for the storage, since it was not there before the load began", "the same, and samples before the load began"},
		{trust.BackgroundServer, "it may be the storage's work", "a machine that may run storage servers"},
		{trust.BackgroundServerNew, "it may be the storage's work, since it was not there before the load began", "the same, and samples before the load began"},
		{trust.BackgroundPrograms, "stop other programs there", "a quarter of the CPU or more"},
		{trust.BackgroundProcesses, "other processes or the kernel", "less than a quarter of the CPU"},
	}},
	{trust.Memory, []sentence{
		{trust.MemoryMachine, "tasks on %s waited for memory in %s of the time: part of what looks like slow storage is too little memory", "pressure counters"},
		{trust.MemoryGroup, "tasks of %s waited for memory in %s of the time: part of what looks like slow storage is too little memory", "pressure counters of a control group"},
	}},
	{trust.Device, []sentence{
		{trust.DeviceContradiction, "%s was busy %s of the time with %s requests in flight on average, which is %s whenever it was busy: the two contradict each other, unless requests come in rare bursts; neither tells how much it was used", "what the kernel counts of a device"},
	}},
	{trust.Limits, []sentence{
		{trust.LimitsMemory, "the requested memory limit of an instance could not be enforced here; the engine is still configured for it", "what the platform says of its limits"},
		{trust.LimitsCPU, "the requested CPU limit of an instance could not be enforced here", "what the platform says of its limits"},
	}},
	{trust.Throttled, []sentence{
		{trust.ThrottledInstance, "an instance was throttled by its own CPU limit for %s of each second, summed over its threads", "throttled time of its control group"},
	}},
	{trust.OutOfMemory, []sentence{
		{trust.KilledProcesses, "during the measured phase the kernel ended %s {process|processes} %s for want of memory%s: give it more, or have less in it", "counts of control groups"},
		{trust.KilledContainer, "of control group %s, which Plimsoll runs in,", "the campaign's own control group"},
		{trust.KilledDriver, "of driver %s", "a driver's control group"},
		{trust.KilledInstance, "of %s", "an instance's control group"},
		{trust.KilledServer, "of storage server %s", "a storage server's control group"},
		{trust.KilledAtLimit, " (its limit is %s)", "a limit of the control group"},
	}},
	{trust.Cache, []sentence{
		{trust.CacheInstance, "only writes reach the storage: the data of an instance, %s, fits in its memory, %s", "the size of the data set, and the memory; not where caches are passed by"},
		{trust.CacheMachine, "the data of all instances (%s) fits in the machine's memory (%s): reads may never reach the storage", "the size of the data set, and the memory; not where caches are passed by"},
		{trust.CacheRestored, "the devices read only %s of the %s that was read to restore: the rest came from caches of the storage, which may be empty after a failure", "work that saves state; the devices behind the volumes are known and read less than half"},
	}},
	{trust.StorageDoubt, []sentence{
		{trust.StorageRecorded, "%s", "what the storage class says against its own figures"},
		{trust.StorageLate, "%s; that cost %s of the users' wait", "the medium's own count of late requests, and the users' waiting"},
	}},
	{trust.Durability, []sentence{
		{trust.DurabilitySettings, "settings give up durability: %s; commits then cost less than durable ones", "what servers answered of their settings"},
		{trust.DurabilityFlushes, "flushes do not reach a medium on %s: they are cheaper than on storage that survives a power failure", "what the storage says of itself"},
	}},
}
