package dvdstore

import (
	"context"
	"fmt"
)

// product is what the database has of one product.
type product struct {
	present       bool
	stock, sales  int64 // in INVENTORY
	sold, soldNew int64 // copies on all order lines, and on the lines of new orders
	reordered     int64
}

// products compares INVENTORY with the order lines and the initial stock.
// loadedSales is how often each product was sold in the loaded orders.
func (a *auditor) products(ctx context.Context, loadedSales []int32) error {
	unknown := tallyNone("order lines and stock of products that do not exist")
	found, err := a.readProducts(ctx, unknown)
	if err != nil {
		return err
	}
	sales := tallyAll("sales of every product equal its order lines", a.size.Products)
	loaded := tallyAll("loaded order lines have their quantities", a.size.Products)
	stock := tallyAll("stock of every product is the initial stock less what was ordered plus what was reordered", a.size.Products)
	negative := tallyNone("products with negative stock")
	for i := range found[1:] {
		id, p := int64(i+1), found[i+1]
		if !p.present || p.sales != p.sold {
			sales.offend("product %d: sales %d, order lines %d", id, p.sales, p.sold)
		}
		if want := int64(loadedSales[id]); p.sold-p.soldNew != want {
			loaded.offend("product %d: %d copies in loaded orders, loaded were %d", id, p.sold-p.soldNew, want)
		}
		if initial := a.generator.Stock(id); !p.present || p.stock != initial-p.soldNew+p.reordered {
			stock.offend("product %d: stock %d, but %d initial - %d ordered + %d reordered = %d",
				id, p.stock, initial, p.soldNew, p.reordered, initial-p.soldNew+p.reordered)
		}
		if p.stock < 0 {
			negative.offend("product %d: stock %d", id, p.stock)
		}
	}
	a.add(sales, stock, negative, loaded, unknown)
	return nil
}

// readProducts reads the audited columns of each product, 48 bytes each.
func (a *auditor) readProducts(ctx context.Context, unknown *tally) ([]product, error) {
	found := make([]product, a.size.Products+1)
	for _, part := range []struct {
		query string
		keep  func(p *product, row []int64)
	}{
		{`select prod_id, quan_in_stock, sales from {inventory}`, func(p *product, row []int64) {
			p.present, p.stock, p.sales = true, row[1], row[2]
		}},
		{`select prod_id, sum(quantity), sum(case when orderid > {last} then quantity else 0 end)
			from {orderlines} group by prod_id`, func(p *product, row []int64) {
			p.sold, p.soldNew = row[1], row[2]
		}},
		{`select prod_id, coalesce(sum(quan_reordered), 0) from {reorder} group by prod_id`, func(p *product, row []int64) {
			p.reordered = row[1]
		}},
	} {
		err := a.each(ctx, part.query, func(row []int64) {
			if row[0] < 1 || row[0] > a.size.Products {
				unknown.offend("product %d", row[0])
				return
			}
			part.keep(&found[row[0]], row)
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// amount writes hundredths as people do: 413.61.
func amount(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }
