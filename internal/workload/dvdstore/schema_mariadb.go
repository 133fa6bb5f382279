package dvdstore

import "plimsoll/internal/workload/dvdstore/data"

const options = ` engine=InnoDB default character set utf8mb4 collate utf8mb4_general_ci`

// mariadbTables is the schema on MariaDB and MySQL: table names in capitals,
// which matters there, and InnoDB throughout. ORDERLINES gets its unique index
// at once, because InnoDB keeps the rows of a table without primary key in the
// order of it and would otherwise rebuild the table.
func mariadbTables(version int) []table {
	products, column := data.ProductTable, ""
	var reorder []string
	if version == 3 {
		products, column = data.MemberProductTable, `,
			MEMBERSHIP_ITEM tinyint not null`
		reorder = []string{`alter table REORDER add index IX_REORDER_PROD_ID (PROD_ID)`}
	}
	all := []table{{
		name: "CATEGORIES", rows: data.CategoryTable, loaded: true,
		create: `create table CATEGORIES (
			CATEGORY tinyint not null auto_increment primary key,
			CATEGORYNAME varchar(50) not null)` + options,
		finish: []string{`analyze table CATEGORIES`},
	}, {
		name: "CUSTOMERS", rows: data.CustomerTable, loaded: true, space: 205,
		create: `create table CUSTOMERS (
			CUSTOMERID int not null auto_increment primary key,
			FIRSTNAME varchar(50) not null,
			LASTNAME varchar(50) not null,
			ADDRESS1 varchar(50) not null,
			ADDRESS2 varchar(50),
			CITY varchar(50) not null,
			STATE varchar(50),
			ZIP int,
			COUNTRY varchar(50) not null,
			REGION tinyint not null,
			EMAIL varchar(50),
			PHONE varchar(50),
			CREDITCARDTYPE int not null,
			CREDITCARD varchar(50) not null,
			CREDITCARDEXPIRATION varchar(50) not null,
			USERNAME varchar(50) not null,
			PASSWORD varchar(50) not null,
			AGE tinyint,
			INCOME int,
			GENDER char(1))` + options,
		indexes: []string{`alter table CUSTOMERS add unique index IX_CUST_USERNAME (USERNAME)`},
		finish:  []string{`analyze table CUSTOMERS`},
	}, {
		name: "ORDERS", rows: data.OrderTable, loaded: true, space: 55,
		create: `create table ORDERS (
			ORDERID int not null auto_increment primary key,
			ORDERDATE date not null,
			CUSTOMERID int,
			NETAMOUNT decimal(12,2) not null,
			TAX decimal(12,2) not null,
			TOTALAMOUNT decimal(12,2) not null)` + options,
		indexes: []string{`alter table ORDERS add index IX_ORDER_CUSTID (CUSTOMERID)`},
		references: []string{`alter table ORDERS add constraint FK_CUSTOMERID
			foreign key (CUSTOMERID) references CUSTOMERS (CUSTOMERID) on delete set null`},
		finish: []string{`analyze table ORDERS`},
	}, {
		name: "ORDERLINES", rows: data.OrderLineTable, loaded: true, space: 190, unkeyed: true,
		create: `create table ORDERLINES (
			ORDERLINEID smallint not null,
			ORDERID int not null,
			PROD_ID int not null,
			QUANTITY smallint not null,
			ORDERDATE date not null,
			unique index IX_ORDERLINES_ORDERID (ORDERID, ORDERLINEID))` + options,
		references: []string{`alter table ORDERLINES add constraint FK_ORDERID
			foreign key (ORDERID) references ORDERS (ORDERID) on delete cascade`},
		finish: []string{`analyze table ORDERLINES`},
	}, {
		name: "CUST_HIST", rows: data.HistoryTable, loaded: true, space: 265, unkeyed: true,
		create: `create table CUST_HIST (
			CUSTOMERID int not null,
			ORDERID int not null,
			PROD_ID int not null)` + options,
		indexes: []string{`alter table CUST_HIST add index IX_CUST_HIST_CUSTOMERID (CUSTOMERID)`},
		references: []string{`alter table CUST_HIST add constraint FK_CUST_HIST_CUSTOMERID
			foreign key (CUSTOMERID) references CUSTOMERS (CUSTOMERID) on delete cascade`},
		finish: []string{`analyze table CUST_HIST`},
	}, {
		name: "PRODUCTS", rows: products, loaded: true, space: 175,
		fixed: 2 << 20, // the tables behind two full text indices
		create: `create table PRODUCTS (
			PROD_ID int not null auto_increment primary key,
			CATEGORY tinyint not null,
			TITLE varchar(50) not null,
			ACTOR varchar(50) not null,
			PRICE decimal(12,2) not null,
			SPECIAL tinyint,
			COMMON_PROD_ID int not null` + column + `)` + options,
		// InnoDB makes one full text index at a time.
		indexes: []string{
			`alter table PRODUCTS add fulltext index IX_PROD_ACTOR (ACTOR)`,
			`alter table PRODUCTS add fulltext index IX_PROD_TITLE (TITLE)`,
			`alter table PRODUCTS add index IX_PROD_CATEGORY (CATEGORY), add index IX_PROD_SPECIAL (SPECIAL)`},
		finish: []string{`analyze table PRODUCTS`},
	}, {
		name: "INVENTORY", rows: data.InventoryTable, loaded: true, space: 33,
		create: `create table INVENTORY (
			PROD_ID int not null primary key,
			QUAN_IN_STOCK int not null,
			SALES int not null)` + options,
		finish: []string{`analyze table INVENTORY`},
	}, {
		name: "REORDER", unkeyed: true,
		create: `create table REORDER (
			PROD_ID int not null,
			DATE_LOW date not null,
			QUAN_LOW int not null,
			DATE_REORDERED date,
			QUAN_REORDERED int,
			DATE_EXPECTED date)` + options,
		indexes: reorder,
	}}
	if version == 3 {
		all = append(all, mariadbReviewTables()...)
	}
	return all
}

// mariadbReviewTables are those that version 3 has besides.
func mariadbReviewTables() []table {
	return []table{{
		name: "MEMBERSHIP", rows: data.MemberTable, loaded: true, space: 50,
		create: `create table MEMBERSHIP (
			CUSTOMERID int not null primary key,
			MEMBERSHIPTYPE int not null,
			EXPIREDATE date not null)` + options,
		references: []string{`alter table MEMBERSHIP add constraint FK_MEMBERSHIP_CUSTOMERID
			foreign key (CUSTOMERID) references CUSTOMERS (CUSTOMERID) on delete cascade`},
		finish: []string{`analyze table MEMBERSHIP`},
	}, {
		name: "REVIEWS", rows: data.ReviewTable, loaded: true, space: 440,
		create: `create table REVIEWS (
			REVIEW_ID int not null auto_increment primary key,
			PROD_ID int not null,
			REVIEW_DATE date not null,
			STARS int not null,
			CUSTOMERID int not null,
			REVIEW_SUMMARY varchar(50) not null,
			REVIEW_TEXT varchar(1000) not null)` + options,
		indexes: []string{`alter table REVIEWS add index IX_REVIEWS_PROD_ID (PROD_ID), add index IX_REVIEWS_STARS (STARS),
			add index IX_REVIEWS_PRODSTARS (PROD_ID, STARS), add index IX_REVIEWS_CUSTOMERID (CUSTOMERID)`},
		references: []string{`alter table REVIEWS add constraint FK_REVIEWS_CUSTOMERID
			foreign key (CUSTOMERID) references CUSTOMERS (CUSTOMERID) on delete cascade`},
		finish: []string{`analyze table REVIEWS`},
	}, {
		name: "REVIEWS_HELPFULNESS", rows: data.HelpfulnessTable, loaded: true, space: 1335,
		create: `create table REVIEWS_HELPFULNESS (
			REVIEW_HELPFULNESS_ID int not null auto_increment primary key,
			REVIEW_ID int not null,
			CUSTOMERID int not null,
			HELPFULNESS int not null)` + options,
		indexes: []string{`alter table REVIEWS_HELPFULNESS add index IX_REVIEWS_HELPFULNESS_ID (REVIEW_ID),
			add index IX_REVIEWS_HELPFULNESS_CUSTID (CUSTOMERID)`},
		references: []string{`alter table REVIEWS_HELPFULNESS add constraint FK_REVIEW_ID
			foreign key (REVIEW_ID) references REVIEWS (REVIEW_ID) on delete cascade`},
		finish: []string{`analyze table REVIEWS_HELPFULNESS`},
	}}
}
