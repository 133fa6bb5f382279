package dvdstore

import (
	"fmt"

	"plimsoll/internal/workload/dvdstore/data"
)

// catalog has the full text index.
const catalog = "PLIMSOLL_FULLTEXT"

// sqlserverTables is the schema on SQL Server, with names in capitals as in the original.
// Rows are loaded into heaps, which get their clustered keys afterwards. The figures of
// space are PostgreSQL's, because SQL Server's have not been measured.
func sqlserverTables(version int) []table {
	products, column := data.ProductTable, ""
	var reorder []string
	if version == 3 {
		products, column = data.MemberProductTable, `,
			MEMBERSHIP_ITEM tinyint not null`
		reorder = []string{`create index IX_REORDER_PROD_ID on REORDER (PROD_ID)`}
	}
	all := []table{{
		name: "CATEGORIES", rows: data.CategoryTable, loaded: true,
		create: `create table CATEGORIES (
			CATEGORY tinyint identity(1, 1) not null,
			CATEGORYNAME varchar(50) not null)`,
		indexes: primaryKey("CATEGORIES", "CATEGORY"),
		finish:  reseedStatements("CATEGORIES"),
	}, {
		name: "CUSTOMERS", rows: data.CustomerTable, loaded: true, space: 287,
		create: `create table CUSTOMERS (
			CUSTOMERID int identity(1, 1) not null,
			FIRSTNAME varchar(50) not null,
			LASTNAME varchar(50) not null,
			ADDRESS1 varchar(50) not null,
			ADDRESS2 varchar(50),
			CITY varchar(50) not null,
			STATE varchar(50),
			ZIP varchar(9),
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
			GENDER char(1))`,
		indexes: append(primaryKey("CUSTOMERS", "CUSTOMERID"),
			`create unique index IX_CUST_USERNAME on CUSTOMERS (USERNAME) include (PASSWORD)`),
		finish: reseedStatements("CUSTOMERS"),
	}, {
		name: "ORDERS", rows: data.OrderTable, loaded: true, space: 112,
		create: `create table ORDERS (
			ORDERID int identity(1, 1) not null,
			ORDERDATE date not null,
			CUSTOMERID int,
			NETAMOUNT numeric(12,2) not null,
			TAX numeric(12,2) not null,
			TOTALAMOUNT numeric(12,2) not null)`,
		indexes: append(primaryKey("ORDERS", "ORDERID"),
			`create index IX_ORDER_CUSTID on ORDERS (CUSTOMERID)`),
		references: reference("ORDERS", "FK_CUSTOMERID", "CUSTOMERID", "CUSTOMERS (CUSTOMERID) on delete set null"),
		finish:     reseedStatements("ORDERS"),
	}, {
		name: "ORDERLINES", rows: data.OrderLineTable, loaded: true, space: 373, unkeyed: true,
		create: `create table ORDERLINES (
			ORDERLINEID smallint not null,
			ORDERID int not null,
			PROD_ID int not null,
			QUANTITY smallint not null,
			ORDERDATE date not null)`,
		indexes:    []string{`create unique clustered index IX_ORDERLINES_ORDERID on ORDERLINES (ORDERID, ORDERLINEID)`},
		references: reference("ORDERLINES", "FK_ORDERID", "ORDERID", "ORDERS (ORDERID) on delete cascade"),
	}, {
		name: "CUST_HIST", rows: data.HistoryTable, loaded: true, space: 274, unkeyed: true,
		create: `create table CUST_HIST (
			CUSTOMERID int not null,
			ORDERID int not null,
			PROD_ID int not null)`,
		indexes:    []string{`create clustered index IX_CUST_HIST_CUSTOMERID on CUST_HIST (CUSTOMERID)`},
		references: reference("CUST_HIST", "FK_CUST_HIST_CUSTOMERID", "CUSTOMERID", "CUSTOMERS (CUSTOMERID) on delete cascade"),
	}, {
		name: "PRODUCTS", rows: products, loaded: true, space: 140,
		create: `create table PRODUCTS (
			PROD_ID int identity(1, 1) not null,
			CATEGORY tinyint not null,
			TITLE varchar(50) not null,
			ACTOR varchar(50) not null,
			PRICE numeric(12,2) not null,
			SPECIAL tinyint,
			COMMON_PROD_ID int not null` + column + `)`,
		indexes: append(primaryKey("PRODUCTS", "PROD_ID"),
			`create index IX_PROD_CATEGORY on PRODUCTS (CATEGORY)`,
			`create index IX_PROD_SPECIAL on PRODUCTS (SPECIAL)`,
			`create fulltext catalog `+catalog,
			// Language 0 is none: words are taken as they are.
			`create fulltext index on PRODUCTS (ACTOR language 0, TITLE language 0) key index PK_PRODUCTS on `+catalog+` with change_tracking auto, stoplist off`),
		finish: append(reseedStatements("PRODUCTS"), populated),
	}, {
		name: "INVENTORY", rows: data.InventoryTable, loaded: true, space: 76,
		create: `create table INVENTORY (
			PROD_ID int not null,
			QUAN_IN_STOCK int not null,
			SALES int not null)`,
		indexes: primaryKey("INVENTORY", "PROD_ID"),
	}, {
		name: "REORDER", unkeyed: true,
		create: `create table REORDER (
			PROD_ID int not null,
			DATE_LOW date not null,
			QUAN_LOW int not null,
			DATE_REORDERED date,
			QUAN_REORDERED int,
			DATE_EXPECTED date)`,
		indexes: reorder,
	}}
	if version == 3 {
		all = append(all, sqlserverReviewTables()...)
	}
	return all
}

// sqlserverReviewTables are those that version 3 has besides.
func sqlserverReviewTables() []table {
	return []table{{
		name: "MEMBERSHIP", rows: data.MemberTable, loaded: true, space: 76,
		create: `create table MEMBERSHIP (
			CUSTOMERID int not null,
			MEMBERSHIPTYPE int not null,
			EXPIREDATE date not null)`,
		indexes:    primaryKey("MEMBERSHIP", "CUSTOMERID"),
		references: reference("MEMBERSHIP", "FK_MEMBERSHIP_CUSTOMERID", "CUSTOMERID", "CUSTOMERS (CUSTOMERID) on delete cascade"),
	}, {
		name: "REVIEWS", rows: data.ReviewTable, loaded: true, space: 425,
		create: `create table REVIEWS (
			REVIEW_ID int identity(1, 1) not null,
			PROD_ID int not null,
			REVIEW_DATE date not null,
			STARS int not null,
			CUSTOMERID int not null,
			REVIEW_SUMMARY varchar(50) not null,
			REVIEW_TEXT varchar(1000) not null)`,
		indexes: append(primaryKey("REVIEWS", "REVIEW_ID"),
			`create index IX_REVIEWS_PROD_ID on REVIEWS (PROD_ID)`,
			`create index IX_REVIEWS_STARS on REVIEWS (STARS)`,
			`create index IX_REVIEWS_PRODSTARS on REVIEWS (PROD_ID, STARS)`),
		references: reference("REVIEWS", "FK_REVIEWS_CUSTOMERID", "CUSTOMERID", "CUSTOMERS (CUSTOMERID) on delete cascade"),
		finish:     reseedStatements("REVIEWS"),
	}, {
		name: "REVIEWS_HELPFULNESS", rows: data.HelpfulnessTable, loaded: true, space: 1675,
		create: `create table REVIEWS_HELPFULNESS (
			REVIEW_HELPFULNESS_ID int identity(1, 1) not null,
			REVIEW_ID int not null,
			CUSTOMERID int not null,
			HELPFULNESS int not null)`,
		indexes: append(primaryKey("REVIEWS_HELPFULNESS", "REVIEW_HELPFULNESS_ID"),
			`create index IX_REVIEWS_HELPFULNESS_ID on REVIEWS_HELPFULNESS (REVIEW_ID)`,
			`create index IX_REVIEWS_HELPFULNESS_CUSTID on REVIEWS_HELPFULNESS (CUSTOMERID)`),
		references: reference("REVIEWS_HELPFULNESS", "FK_REVIEW_ID", "REVIEW_ID", "REVIEWS (REVIEW_ID) on delete cascade"),
		finish:     reseedStatements("REVIEWS_HELPFULNESS"),
	}}
}

// primaryKey is the key by which the rows are kept. Statistics come with it.
func primaryKey(table, column string) []string {
	return []string{fmt.Sprintf("alter table %[1]s add constraint PK_%[1]s primary key clustered (%[2]s)", table, column)}
}

func reference(table, name, column, to string) []string {
	return []string{fmt.Sprintf("alter table %s with check add constraint %s foreign key (%s) references %s", table, name, column, to)}
}

// reseedStatements continues the numbers of rows after the loaded ones.
func reseedStatements(table string) []string {
	return []string{fmt.Sprintf("dbcc checkident ('%s', reseed) with no_infomsgs", table)}
}

// populated waits until the full text indices have every row.
const populated = `while objectpropertyex(object_id('PRODUCTS'), 'TableFulltextPopulateStatus') <> 0 waitfor delay '00:00:00.2'`
