package data

// hotEvery is how far apart the products are that are ordered, stocked and
// restocked ten times as much as others.
const hotEvery = 10_000

// hotFactor is how much more a hot product is ordered and stocked.
const hotFactor = 10

// MaxStock is the largest initial stock of an ordinary product.
const MaxStock = 500

// Hot reports whether a product is ten times as likely to be ordered as
// others: every 10,000th.
func Hot(product int64) bool { return product%hotEvery == 0 }

// RestockQuantity is how many copies arrive when a product is short: as much
// as the largest initial stock, so that stock stays spread as it was at first
// and the share of orders rolled back does not drift.
func RestockQuantity(product int64) int64 {
	if Hot(product) {
		return hotFactor * MaxStock
	}
	return MaxStock
}

// OrderedProduct draws the product of one order line of a session: uniform but
// for the hot products.
func OrderedProduct(r *Rand, products int64) int64 {
	hot := products / hotEvery
	n := r.N(products + hot*(hotFactor-1))
	if n < products {
		return n + 1
	}
	return ((n-products)%hot + 1) * hotEvery
}

// Tax returns the tax on a net amount, both in hundredths: 8.25 %, rounded half
// up.
func Tax(cents int64) int64 { return (cents*825 + 5000) / 10_000 }
