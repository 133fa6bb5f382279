package local

// For tests outside, which use localtest.
var (
	Taken   = taken
	ClaimID = claimID
)
