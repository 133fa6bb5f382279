package sqlshop

import (
	"fmt"
	"strings"

	"plimsoll/internal/client/sqlwire"
)

// statements are one user's statements, prepared once for its connection.
type statements struct {
	login, history, title               *sqlwire.Statement
	register                            *sqlwire.Statement
	byCategory, byActor, byTitle        *sqlwire.Statement
	price, order, sell, restock, remind *sqlwire.Statement
	begin                               *sqlwire.Statement
	// version 3
	reviewsByActor, reviewsByTitle *sqlwire.Statement
	byHelpfulness, byStars, byDate *sqlwire.Statement
	join, review, rate             *sqlwire.Statement
	commit, rollback               []*sqlwire.Statement
	// lines and bought insert that many rows plus one; they are prepared when
	// first needed.
	lines, bought []*sqlwire.Statement
}

// prepare prepares all statements but those that insert several rows.
func prepare(c sqlwire.Conn, d *dialect, version int) (*statements, error) {
	p := preparer{conn: c, dialect: d}
	s := &statements{
		login:   p.prepare("select customerid from {customers} where username = $1 and password = $2"),
		history: p.prepare(d.first("select prod_id from {cust_hist} where customerid = $1 order by orderid desc", "10")),
		title: p.prepare("select p.title, p.actor, r.title from {products} p " +
			"join {products} r on r.prod_id = p.common_prod_id where p.prod_id = $1"),
		register: p.prepare(d.numbered("insert into {customers} (firstname, lastname, address1, address2, city, state, zip, "+
			"country, region, email, phone, creditcardtype, creditcard, creditcardexpiration, username, password, "+
			"age, income, gender)", "values ($1, $2, $3, '', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
			"customerid")),
		byCategory: p.prepare(d.first("select * from {products} where category = $1 and special = 1", "$2")),
		byActor:    p.prepare(d.first("select * from {products} where "+d.matches("actor"), "$2")),
		byTitle:    p.prepare(d.first("select * from {products} where "+d.matches("title"), "$2")),
		price:      p.prepare("select price from {products} where prod_id = $1"),
		order: p.prepare(d.numbered("insert into {orders} (orderdate, customerid, netamount, tax, totalamount)",
			"values ("+d.today+", $1, $2, $3, $4)", "orderid")),
		sell: p.prepare("update {inventory} set quan_in_stock = quan_in_stock - $2, sales = sales + $2 " +
			"where prod_id = $1 and quan_in_stock >= $2"),
		restock: p.prepare("update {inventory} set quan_in_stock = quan_in_stock + $2 " +
			"where prod_id = $1 and quan_in_stock < $3"),
		remind: p.prepare("insert into {reorder} (prod_id, date_low, quan_low, date_reordered, quan_reordered, date_expected) " +
			"select prod_id, " + d.today + ", quan_in_stock - $2, " + d.today + ", $2, " + d.later(7, "day") + " " +
			"from {inventory} where prod_id = $1"),
		begin: p.prepare(d.begin),
	}
	for _, sql := range d.commit {
		s.commit = append(s.commit, p.prepare(sql))
	}
	for _, sql := range d.rollback {
		s.rollback = append(s.rollback, p.prepare(sql))
	}
	if version >= 3 {
		p.reviews(s)
	}
	return s, p.err
}

// preparer prepares statements until one fails.
type preparer struct {
	conn    sqlwire.Conn
	dialect *dialect
	err     error
}

func (p *preparer) prepare(sql string) *sqlwire.Statement {
	if p.err != nil {
		return nil
	}
	s, err := p.conn.Prepare(p.dialect.write(sql))
	p.err = err
	return s
}

// write writes the names of tables, which stand in braces, as the engine has
// them.
func (d *dialect) write(sql string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(sql, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		table, after, _ := strings.Cut(rest, "}")
		b.WriteString(d.tables(table))
		sql = after
	}
}

// insertLines returns the statement that inserts n order lines of the order just
// inserted: $1.. are product and quantity of each.
func (s *Shop) insertLines(n int) (*sqlwire.Statement, error) {
	return s.severalRows(&s.statements.lines, n,
		"insert into {orderlines} (orderlineid, orderid, prod_id, quantity, orderdate) values ",
		func(row int) string {
			return fmt.Sprintf("(%d, %s, $%d, $%d, %s)", row+1, s.dialect.lastID, 2*row+1, 2*row+2, s.dialect.today)
		})
}

// insertBought returns the statement that adds n products of the order just
// inserted to what the customer ($1) has bought: $2.. are the products.
func (s *Shop) insertBought(n int) (*sqlwire.Statement, error) {
	return s.severalRows(&s.statements.bought, n,
		"insert into {cust_hist} (customerid, orderid, prod_id) values ",
		func(row int) string { return fmt.Sprintf("($1, %s, $%d)", s.dialect.lastID, row+2) })
}

// severalRows prepares an insert of n rows the first time it is needed.
func (s *Shop) severalRows(prepared *[]*sqlwire.Statement, n int, insert string, row func(int) string) (*sqlwire.Statement, error) {
	for len(*prepared) < n {
		*prepared = append(*prepared, nil)
	}
	if have := (*prepared)[n-1]; have != nil {
		return have, nil
	}
	rows := make([]string, n)
	for i := range rows {
		rows[i] = row(i)
	}
	statement, err := s.conn.Prepare(s.dialect.write(insert + strings.Join(rows, ", ")))
	(*prepared)[n-1] = statement
	return statement, err
}
