package result

// Stages of a trial, in their order: where one failed, or an instance was set aside.
const (
	StageProvision = "provision" // instances get their data
	StageStart     = "start"
	StageSettle    = "settle"  // what provisioning left is written
	StageDrive     = "drive"   // users are at work
	StageRecover   = "recover" // from the power cut that ended the load
	StageHeal      = "heal"    // what faults left is undone
	StageAudit     = "audit"
	StageTeardown  = "teardown"
)
