<?php
/* What the shop asks of MariaDB and MySQL, by name. */
declare(strict_types=1);

if (count(get_included_files()) === 1) {
    http_response_code(404);
    exit;
}

final class Statements
{
    private const SHOWN = 'select r.REVIEW_ID, r.PROD_ID, r.STARS, r.REVIEW_DATE, r.REVIEW_SUMMARY, r.REVIEW_TEXT, ';
    /** Around a query for reviews: the most helpful of them. Only these are looked up. */
    private const MOST_HELPFUL = self::SHOWN . 't.TOTAL from (select f.REVIEW_ID, (select coalesce(sum(h.HELPFULNESS), 0)'
        . ' from REVIEWS_HELPFULNESS h where h.REVIEW_ID = f.REVIEW_ID) as TOTAL from (';
    private const OF_THESE = ') f order by TOTAL desc, f.REVIEW_ID limit ?) t'
        . ' join REVIEWS r on r.REVIEW_ID = t.REVIEW_ID order by t.TOTAL desc, t.REVIEW_ID';
    private const FILMS = 'select r.REVIEW_ID from PRODUCTS p join REVIEWS r on r.PROD_ID = p.PROD_ID where ';
    private const OF_FILM = 'select REVIEW_ID from REVIEWS where PROD_ID = ?';

    /** What is in braces is repeated for each row of a list. */
    private const STATEMENTS = [
        'login' => 'select CUSTOMERID from CUSTOMERS where USERNAME = ? and PASSWORD = ?',
        'history' => 'select p.TITLE, p.ACTOR, r.TITLE from (select ORDERID, PROD_ID from CUST_HIST where CUSTOMERID = ?'
            . ' order by ORDERID desc limit 10) h join PRODUCTS p on p.PROD_ID = h.PROD_ID'
            . ' join PRODUCTS r on r.PROD_ID = p.COMMON_PROD_ID order by h.ORDERID desc',
        'register' => 'insert into CUSTOMERS (FIRSTNAME, LASTNAME, ADDRESS1, ADDRESS2, CITY, STATE, ZIP, COUNTRY, REGION,'
            . ' EMAIL, PHONE, CREDITCARDTYPE, CREDITCARD, CREDITCARDEXPIRATION, USERNAME, PASSWORD, AGE, INCOME, GENDER)'
            . ' values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        'category' => 'select PROD_ID, TITLE, ACTOR, PRICE from PRODUCTS where CATEGORY = ? and SPECIAL = 1 limit ?',
        'actor' => 'select PROD_ID, TITLE, ACTOR, PRICE from PRODUCTS where match (ACTOR) against (?) limit ?',
        'title' => 'select PROD_ID, TITLE, ACTOR, PRICE from PRODUCTS where match (TITLE) against (?) limit ?',
        'prices' => 'select PROD_ID, TITLE, PRICE from PRODUCTS where PROD_ID in ({?})',
        'order' => 'insert into ORDERS (ORDERDATE, CUSTOMERID, NETAMOUNT, TAX, TOTALAMOUNT) values (current_date, ?, ?, ?, ?)',
        'sell' => 'update INVENTORY set QUAN_IN_STOCK = QUAN_IN_STOCK - ?, SALES = SALES + ?'
            . ' where PROD_ID = ? and QUAN_IN_STOCK >= ?',
        'lines' => 'insert into ORDERLINES (ORDERID, ORDERLINEID, PROD_ID, QUANTITY, ORDERDATE)'
            . ' values {(?, ?, ?, ?, current_date)}',
        'bought' => 'insert into CUST_HIST (CUSTOMERID, ORDERID, PROD_ID) values {(?, ?, ?)}',
        'restock' => 'update INVENTORY set QUAN_IN_STOCK = QUAN_IN_STOCK + ? where PROD_ID = ? and QUAN_IN_STOCK < ?',
        'remind' => 'insert into REORDER (PROD_ID, DATE_LOW, QUAN_LOW, DATE_REORDERED, QUAN_REORDERED, DATE_EXPECTED)'
            . ' select PROD_ID, current_date, QUAN_IN_STOCK - ?, current_date, ?, current_date + interval 7 day'
            . ' from INVENTORY where PROD_ID = ?',
        // of version 3
        'member' => 'insert into MEMBERSHIP (CUSTOMERID, MEMBERSHIPTYPE, EXPIREDATE)'
            . ' values (?, ?, current_date + interval 1 year)',
        'review' => 'insert into REVIEWS (PROD_ID, REVIEW_DATE, STARS, CUSTOMERID, REVIEW_SUMMARY, REVIEW_TEXT)'
            . ' select PROD_ID, current_date, ?, ?, ?, ? from PRODUCTS where PROD_ID = ?',
        'rate' => 'insert into REVIEWS_HELPFULNESS (REVIEW_ID, CUSTOMERID, HELPFULNESS)'
            . ' select ?, CUSTOMERID, ? from CUSTOMERS where CUSTOMERID = ?',
        'reviewsbyactor' => self::MOST_HELPFUL . self::FILMS . 'match (p.ACTOR) against (?) limit ?' . self::OF_THESE,
        'reviewsbytitle' => self::MOST_HELPFUL . self::FILMS . 'match (p.TITLE) against (?) limit ?' . self::OF_THESE,
        'reviewsnoorder' => self::MOST_HELPFUL . self::OF_FILM . self::OF_THESE,
        'reviewsstar' => self::MOST_HELPFUL . self::OF_FILM . ' and STARS = ?' . self::OF_THESE,
        'reviewsdate' => self::SHOWN . '(select coalesce(sum(HELPFULNESS), 0) from REVIEWS_HELPFULNESS h'
            . ' where h.REVIEW_ID = r.REVIEW_ID) from REVIEWS r where r.PROD_ID = ? order by r.REVIEW_DATE desc, r.REVIEW_ID limit ?',
    ];

    /** @return array<string, string> of both versions: each is prepared when a page needs it */
    public static function of(int $_): array
    {
        return self::STATEMENTS;
    }
}
