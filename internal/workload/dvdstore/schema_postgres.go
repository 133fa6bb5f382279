package dvdstore

import "plimsoll/internal/workload/dvdstore/data"

// postgresTables is the schema on PostgreSQL, names in lower case.
func postgresTables(version int) []table {
	products, column := data.ProductTable, ""
	var reorder []string
	if version == 3 {
		products, column = data.MemberProductTable, `,
			membership_item smallint not null`
		reorder = []string{`create index ix_reorder_prod_id on reorder (prod_id)`}
	}
	all := []table{{
		name: "categories", rows: data.CategoryTable, loaded: true,
		create: `create table categories (
			category serial,
			categoryname varchar(50) not null)`,
		indexes: []string{`alter table categories add primary key (category)`},
		finish: []string{`vacuum analyze categories`,
			`select setval('categories_category_seq', max(category)) from categories`},
	}, {
		name: "customers", rows: data.CustomerTable, loaded: true, space: 287,
		create: `create table customers (
			customerid serial,
			firstname varchar(50) not null,
			lastname varchar(50) not null,
			address1 varchar(50) not null,
			address2 varchar(50),
			city varchar(50) not null,
			state varchar(50),
			zip varchar(9),
			country varchar(50) not null,
			region smallint not null,
			email varchar(50),
			phone varchar(50),
			creditcardtype integer not null,
			creditcard varchar(50) not null,
			creditcardexpiration varchar(50) not null,
			username varchar(50) not null,
			password varchar(50) not null,
			age smallint,
			income integer,
			gender char(1))`,
		indexes: []string{
			`alter table customers add primary key (customerid)`,
			`create unique index ix_cust_username on customers (username)`,
			`create index ix_cust_username_password on customers (username, password)`},
		finish: []string{`vacuum analyze customers`,
			`select setval('customers_customerid_seq', max(customerid)) from customers`},
	}, {
		name: "orders", rows: data.OrderTable, loaded: true, space: 112,
		create: `create table orders (
			orderid serial,
			orderdate date not null,
			customerid integer,
			netamount numeric(12,2) not null,
			tax numeric(12,2) not null,
			totalamount numeric(12,2) not null)`,
		indexes: []string{
			`alter table orders add primary key (orderid)`,
			`create index ix_order_custid on orders (customerid)`},
		references: []string{`alter table orders add constraint fk_customerid
			foreign key (customerid) references customers (customerid) on delete set null`},
		finish: []string{`vacuum analyze orders`,
			`select setval('orders_orderid_seq', max(orderid)) from orders`},
	}, {
		name: "orderlines", rows: data.OrderLineTable, loaded: true, space: 373, unkeyed: true,
		create: `create table orderlines (
			orderlineid smallint not null,
			orderid integer not null,
			prod_id integer not null,
			quantity smallint not null,
			orderdate date not null)`,
		indexes: []string{`create unique index ix_orderlines_orderid on orderlines (orderid, orderlineid)`},
		references: []string{`alter table orderlines add constraint fk_orderid
			foreign key (orderid) references orders (orderid) on delete cascade`},
		finish: []string{`vacuum analyze orderlines`},
	}, {
		name: "cust_hist", rows: data.HistoryTable, loaded: true, space: 274, unkeyed: true,
		create: `create table cust_hist (
			customerid integer not null,
			orderid integer not null,
			prod_id integer not null)`,
		indexes: []string{`create index ix_cust_hist_customerid on cust_hist (customerid)`},
		references: []string{`alter table cust_hist add constraint fk_cust_hist_customerid
			foreign key (customerid) references customers (customerid) on delete cascade`},
		finish: []string{`vacuum analyze cust_hist`},
	}, {
		name: "products", rows: products, loaded: true, space: 140,
		create: `create table products (
			prod_id serial,
			category smallint not null,
			title varchar(50) not null,
			actor varchar(50) not null,
			price numeric(12,2) not null,
			special smallint,
			common_prod_id integer not null` + column + `)`,
		indexes: []string{
			`alter table products add primary key (prod_id)`,
			`create index ix_prod_actor on products using gin (to_tsvector('simple', actor))`,
			`create index ix_prod_title on products using gin (to_tsvector('simple', title))`,
			`create index ix_prod_category on products (category)`,
			`create index ix_prod_special on products (special)`,
			`create index ix_prod_cat_special on products (category, special)`},
		finish: []string{`vacuum analyze products`,
			`select setval('products_prod_id_seq', max(prod_id)) from products`},
	}, {
		name: "inventory", rows: data.InventoryTable, loaded: true, space: 76,
		// Room in every page lets stock updates stay there (HOT).
		create: `create table inventory (
			prod_id integer not null,
			quan_in_stock integer not null,
			sales integer not null) with (fillfactor = 85)`,
		indexes: []string{`alter table inventory add primary key (prod_id)`},
		finish:  []string{`vacuum analyze inventory`},
	}, {
		name: "reorder", unkeyed: true,
		create: `create table reorder (
			prod_id integer not null,
			date_low date not null,
			quan_low integer not null,
			date_reordered date,
			quan_reordered integer,
			date_expected date)`,
		indexes: reorder,
	}}
	if version == 3 {
		all = append(all, postgresReviewTables()...)
	}
	return all
}

// postgresReviewTables are those that version 3 has besides.
func postgresReviewTables() []table {
	return []table{{
		name: "membership", rows: data.MemberTable, loaded: true, space: 76,
		create: `create table membership (
			customerid integer not null,
			membershiptype integer not null,
			expiredate date not null)`,
		indexes: []string{`alter table membership add primary key (customerid)`},
		references: []string{`alter table membership add constraint fk_membership_customerid
			foreign key (customerid) references customers (customerid) on delete cascade`},
		finish: []string{`vacuum analyze membership`},
	}, {
		name: "reviews", rows: data.ReviewTable, loaded: true, space: 425,
		create: `create table reviews (
			review_id serial,
			prod_id integer not null,
			review_date date not null,
			stars integer not null,
			customerid integer not null,
			review_summary varchar(50) not null,
			review_text varchar(1000) not null)`,
		indexes: []string{
			`alter table reviews add primary key (review_id)`,
			`create index ix_reviews_prod_id on reviews (prod_id)`,
			`create index ix_reviews_stars on reviews (stars)`,
			`create index ix_reviews_prodstars on reviews (prod_id, stars)`},
		references: []string{`alter table reviews add constraint fk_reviews_customerid
			foreign key (customerid) references customers (customerid) on delete cascade`},
		finish: []string{`vacuum analyze reviews`,
			`select setval('reviews_review_id_seq', max(review_id)) from reviews`},
	}, {
		name: "reviews_helpfulness", rows: data.HelpfulnessTable, loaded: true, space: 1675,
		create: `create table reviews_helpfulness (
			review_helpfulness_id serial,
			review_id integer not null,
			customerid integer not null,
			helpfulness integer not null)`,
		indexes: []string{
			`alter table reviews_helpfulness add primary key (review_helpfulness_id)`,
			`create index ix_reviews_helpfulness_id on reviews_helpfulness (review_id)`,
			`create index ix_reviews_helpfulness_custid on reviews_helpfulness (customerid)`},
		references: []string{`alter table reviews_helpfulness add constraint fk_review_id
			foreign key (review_id) references reviews (review_id) on delete cascade`},
		finish: []string{`vacuum analyze reviews_helpfulness`,
			`select setval('reviews_helpfulness_review_helpfulness_id_seq', max(review_helpfulness_id)) from reviews_helpfulness`},
	}}
}
