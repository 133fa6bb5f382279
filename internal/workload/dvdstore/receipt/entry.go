package receipt

import "fmt"

// Each kind of receipt can be compared with a row of its table: by the row's
// number, without the doubt, and without the number where it is not known.

// Number is the order's number.
func (r Order) Number() int64 { return r.ID }

// InDoubt reports whether the order may or may not be there.
func (r Order) InDoubt() bool { return r.Doubtful }

// Certain returns the receipt without doubt.
func (r Order) Certain() Order { r.Doubtful = false; return r }

// Unnumbered returns the receipt without number.
func (r Order) Unnumbered() Order { r.ID = 0; return r }

// Number is the customer's, who is a member once.
func (r Member) Number() int64 { return r.Customer }

// InDoubt reports whether the membership may or may not be there.
func (r Member) InDoubt() bool { return r.Doubtful }

// Certain returns the receipt without doubt.
func (r Member) Certain() Member { r.Doubtful = false; return r }

// Unnumbered returns the receipt of nobody.
func (r Member) Unnumbered() Member { r.Customer = 0; return r }

// String describes the membership.
func (r Member) String() string {
	return fmt.Sprintf("membership of customer %d on level %d", r.Customer, r.Level)
}

// Number is the review's number.
func (r Review) Number() int64 { return r.ID }

// InDoubt reports whether the review may or may not be there.
func (r Review) InDoubt() bool { return r.Doubtful }

// Certain returns the receipt without doubt.
func (r Review) Certain() Review { r.Doubtful = false; return r }

// Unnumbered returns the receipt without number.
func (r Review) Unnumbered() Review { r.ID = 0; return r }

// String describes the review.
func (r Review) String() string {
	return fmt.Sprintf("review %d of product %d by customer %d with %d stars and a text of checksum %08x",
		r.ID, r.Product, r.Customer, r.Stars, r.Content)
}

// Number is the rating's number.
func (r Helpfulness) Number() int64 { return r.ID }

// InDoubt reports whether the rating may or may not be there.
func (r Helpfulness) InDoubt() bool { return r.Doubtful }

// Certain returns the receipt without doubt.
func (r Helpfulness) Certain() Helpfulness { r.Doubtful = false; return r }

// Unnumbered returns the receipt without number.
func (r Helpfulness) Unnumbered() Helpfulness { r.ID = 0; return r }

// String describes the rating.
func (r Helpfulness) String() string {
	return fmt.Sprintf("rating %d of review %d by customer %d: %d", r.ID, r.Review, r.Customer, r.Helpfulness)
}
