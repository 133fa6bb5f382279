package dvdstore

import "plimsoll/internal/workload/dvdstore/data"

// postgresTables is the schema on PostgreSQL, names in lower case.
func postgresTables() []table {
	return []table{{
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
		name: "orderlines", rows: data.OrderLineTable, loaded: true, space: 373,
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
		name: "cust_hist", rows: data.HistoryTable, loaded: true, space: 274,
		create: `create table cust_hist (
			customerid integer not null,
			orderid integer not null,
			prod_id integer not null)`,
		indexes: []string{`create index ix_cust_hist_customerid on cust_hist (customerid)`},
		references: []string{`alter table cust_hist add constraint fk_cust_hist_customerid
			foreign key (customerid) references customers (customerid) on delete cascade`},
		finish: []string{`vacuum analyze cust_hist`},
	}, {
		name: "products", rows: data.ProductTable, loaded: true, space: 140,
		create: `create table products (
			prod_id serial,
			category smallint not null,
			title varchar(50) not null,
			actor varchar(50) not null,
			price numeric(12,2) not null,
			special smallint,
			common_prod_id integer not null)`,
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
		name: "reorder",
		create: `create table reorder (
			prod_id integer not null,
			date_low date not null,
			quan_low integer not null,
			date_reordered date,
			quan_reordered integer,
			date_expected date)`,
	}}
}
