package local

// For tests outside, which use localtest.
var (
	ClaimBlock = claimBlock
	ClaimUsers = claimUsers
)

const (
	BlockSize = blockSize
	MostUsers = mostUsers
)

// Unused are the users of a block that nobody has.
func Unused(first int) (ids []int, err error) {
	free, err := unused(first)
	for _, u := range free {
		ids = append(ids, u.uid)
	}
	return ids, err
}

// UID gives a name's user, and Release gives all back.
func (u *identities) UID(name string) int { return u.user(name).uid }
func (u *identities) Release() error      { return u.release() }
