package session

// Operation is one timed step of a user.
type Operation int

// Operations of a user.
const (
	Order Operation = iota // login or newcustomer to purchase, all together
	Login
	NewCustomer
	Browse
	NewMember      // version 3
	BrowseReviews  // version 3
	GetReviews     // version 3
	NewReview      // version 3
	NewHelpfulness // version 3
	Purchase
	Restock // after an order was rolled back, outside its time
	operations
)

// String returns the operation's name in results.
func (o Operation) String() string {
	return [operations]string{"order", "login", "newcustomer", "browse", "newmember", "browsereviews", "getreviews",
		"newreview", "newhelpfulness", "purchase", "restock"}[o]
}

// Operations lists the operations of users of a version, in the order of the indices under
// which they are recorded. restocks reports that users restock films themselves; see
// Restocker.
func Operations(version int, restocks bool) []Operation {
	var all []Operation
	for o := Order; o < operations; o++ {
		reviewing := o >= NewMember && o <= NewHelpfulness
		if reviewing && version < 3 || o == Restock && !restocks {
			continue
		}
		all = append(all, o)
	}
	return all
}

// indices returns the index of each operation; it is 0 for those that the list
// does not have, which are never recorded.
func indices(list []Operation) (of [operations]int) {
	for i, o := range list {
		of[o] = i
	}
	return of
}
