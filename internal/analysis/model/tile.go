package model

// Tile is how many tiles a variant carries whose members have objectives of their own: a
// rung is carried when every member keeps its own.
type Tile struct {
	Variant string   `json:"variant"` // of the study
	Members []string `json:"members"` // as variants of the analysis, in the order of the study
	// Rung is the largest measured number of tiles at which every member keeps its
	// objectives, 0 for none, and Next the smallest above it, 0 where all were kept.
	Rung   int      `json:"rung"`
	Next   int      `json:"next,omitempty"`
	Broken []string `json:"broken,omitempty"` // members that do not keep theirs at Next
	Text   string   `json:"text"`             // all that in words
}
