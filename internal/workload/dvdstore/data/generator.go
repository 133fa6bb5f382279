package data

// Bounds of the random values of orders and products.
const (
	MaxLines    = 9 // lines of a loaded order, at least one
	MaxQuantity = 3 // copies on a line, at least one

	maxNetCents = 400_00
	minPrice    = 9_99
	priceSteps  = 21 // 9.99, 10.99, ... 29.99
)

// Generator makes the rows of one data set. It is a value without state: every
// method is a pure function, safe for concurrent use.
type Generator struct {
	size Size
	seed uint64
}

// New returns the generator of a data set.
func New(size Size, seed uint64) Generator { return Generator{size: size, seed: seed} }

// Streams keep the kinds of rows apart, so that order 5 and product 5 have
// nothing in common.
const (
	customerStream = iota + 1
	orderStream
	productStream
	stockStream
	memberStream
	reviewStream
	countStream // how many ratings reviews have
	ratingStream
)

// row starts the random stream of one row.
func (g Generator) row(stream uint64, id int64) Rand {
	return Rand{state: mix(mix(g.seed^stream*gamma) + uint64(id)*gamma)}
}

// Customer returns customer id, 1..Customers. The first half lives in the US.
func (g Generator) Customer(id int64) Customer {
	r := g.row(customerStream, id)
	return drawCustomer(&r, id <= g.size.Customers/2)
}

// Order is one loaded order.
type Order struct {
	Customer   int64
	Month, Day int64
	NetCents   int64 // 0.01..400.00
	Lines      int   // how many of Line are in use
	Line       [MaxLines]Line
}

// Line is one line of an order.
type Line struct {
	Product  int64
	Quantity int64
}

var daysIn = [Months]int64{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// Order makes order id, 1..Orders, in o. Ids are contiguous by month.
func (g Generator) Order(id int64, o *Order) {
	r := g.orderHead(id, o)
	for i := range o.Lines {
		o.Line[i] = Line{Product: r.Between(1, g.size.Products), Quantity: r.Between(1, MaxQuantity)}
	}
}

// orderHead makes all of an order but its lines and gives the stream that
// draws them.
func (g Generator) orderHead(id int64, o *Order) Rand {
	r := g.row(orderStream, id)
	o.Customer = r.Between(1, g.size.Customers)
	o.Month = (id-1)/g.size.OrdersPerMonth + 1
	o.Day = r.Between(1, daysIn[o.Month-1])
	o.NetCents = r.Between(1, maxNetCents)
	o.Lines = int(r.Between(1, MaxLines))
	return r
}

// Product is one title on offer.
type Product struct {
	Category   int64     // 1..Categories
	Title      [2]string // two words
	Actor      [2]string // first and last name
	PriceCents int64
	Special    bool
	Common     int64 // the product that buyers of this one also bought
	Member     int64 // 0..MemberLevels: the membership for which it is meant; version 3 only
}

// Product returns product id, 1..Products.
func (g Generator) Product(id int64) Product {
	r := g.row(productStream, id)
	p := Product{
		Category:   r.Between(1, Categories),
		Title:      [2]string{titleWords[r.N(TitleWords)], titleWords[r.N(TitleWords)]},
		PriceCents: minPrice + 100*r.N(priceSteps),
		Special:    r.N(g.specialEvery()) == 0,
		Common:     r.Between(1, g.size.Products),
	}
	p.Actor[0], p.Actor[1] = Actor(r.N(Actors))
	p.Member = r.N(MemberLevels + 1)
	return p
}

// specialEvery is how many products there are to one on special offer: fewer
// in large stores, where a search would otherwise find too many.
func (g Generator) specialEvery() int64 {
	if g.size.Products > 100_000 {
		return 10_000
	}
	return 100
}

// Stock returns the initial stock of a product.
func (g Generator) Stock(product int64) int64 {
	r := g.row(stockStream, product)
	n := r.Between(0, MaxStock)
	if Hot(product) {
		return n * hotFactor
	}
	return n
}

// Totals is what the loaded order lines add up to.
type Totals struct {
	Lines int64   // in all orders
	Sales []int32 // copies sold by product; index 0 is not used
}

// Totals goes through all orders, which takes about 10 ns for each line.
func (g Generator) Totals() Totals {
	t := Totals{Sales: make([]int32, g.size.Products+1)}
	var o Order
	for id := int64(1); id <= g.size.Orders(); id++ {
		g.Order(id, &o)
		t.Lines += int64(o.Lines)
		for _, l := range o.Line[:o.Lines] {
			t.Sales[l.Product] += int32(l.Quantity)
		}
	}
	return t
}
