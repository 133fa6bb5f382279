<?php
/* What the shop asks of PostgreSQL, by name. */
declare(strict_types=1);

if (count(get_included_files()) === 1) {
    http_response_code(404);
    exit;
}

final class Statements
{
    private const SHOWN = 'select r.review_id, r.prod_id, r.stars, r.review_date, r.review_summary, r.review_text, ';
    /** Around a query for reviews: the most helpful of them. Only these are looked up. */
    /* The sum is a subquery rather than a join: the plan of a prepared statement does
     * not know how few reviews there will be, and would read all ratings to join them. */
    private const MOST_HELPFUL = self::SHOWN . 't.total from (select f.review_id, (select coalesce(sum(h.helpfulness), 0)'
        . ' from reviews_helpfulness h where h.review_id = f.review_id) as total from (';
    private const OF_THESE = ') f order by total desc, f.review_id limit ';
    private const IN_ORDER = ') t join reviews r on r.review_id = t.review_id order by t.total desc, t.review_id';
    private const FILMS = 'select r.review_id from products p join reviews r on r.prod_id = p.prod_id where ';
    private const OF_FILM = 'select review_id from reviews where prod_id = $1';

    /** Of version 3 alone. They are prepared first, and fail where there is only version 2. */
    private const VERSION3 = [
        'member' => "insert into membership (customerid, membershiptype, expiredate) values (\$1, \$2, current_date + interval '1' year)",
        'review' => 'insert into reviews (prod_id, review_date, stars, customerid, review_summary, review_text)'
            . ' select prod_id, current_date, $1::int, $2::int, $3, $4 from products where prod_id = $5 returning review_id',
        'rate' => 'insert into reviews_helpfulness (review_id, customerid, helpfulness)'
            . ' select $1::int, customerid, $2::int from customers where customerid = $3 returning review_helpfulness_id',
        'reviewsbyactor' => self::MOST_HELPFUL . self::FILMS
            . "to_tsvector('simple', p.actor) @@ plainto_tsquery('simple', \$1) limit \$2" . self::OF_THESE . '$3' . self::IN_ORDER,
        'reviewsbytitle' => self::MOST_HELPFUL . self::FILMS
            . "to_tsvector('simple', p.title) @@ plainto_tsquery('simple', \$1) limit \$2" . self::OF_THESE . '$3' . self::IN_ORDER,
        'reviewsnoorder' => self::MOST_HELPFUL . self::OF_FILM . self::OF_THESE . '$2' . self::IN_ORDER,
        'reviewsstar' => self::MOST_HELPFUL . self::OF_FILM . ' and stars = $2' . self::OF_THESE . '$3' . self::IN_ORDER,
        'reviewsdate' => self::SHOWN . '(select coalesce(sum(helpfulness), 0) from reviews_helpfulness h'
            . ' where h.review_id = r.review_id) from reviews r where r.prod_id = $1'
            . ' order by r.review_date desc, r.review_id limit $2',
    ];

    private const STATEMENTS = [
        'login' => 'select customerid from customers where username = $1 and password = $2',
        'history' => 'select p.title, p.actor, r.title from (select orderid, prod_id from cust_hist where customerid = $1'
            . ' order by orderid desc limit 10) h join products p on p.prod_id = h.prod_id'
            . ' join products r on r.prod_id = p.common_prod_id order by h.orderid desc',
        'register' => 'insert into customers (firstname, lastname, address1, address2, city, state, zip, country, region,'
            . ' email, phone, creditcardtype, creditcard, creditcardexpiration, username, password, age, income, gender)'
            . ' values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)'
            . ' returning customerid',
        'category' => 'select prod_id, title, actor, price from products where category = $1 and special = 1 limit $2',
        'actor' => 'select prod_id, title, actor, price from products'
            . " where to_tsvector('simple', actor) @@ plainto_tsquery('simple', \$1) limit \$2",
        'title' => 'select prod_id, title, actor, price from products'
            . " where to_tsvector('simple', title) @@ plainto_tsquery('simple', \$1) limit \$2",
        'prices' => 'select prod_id, title, price from products where prod_id = any ($1::int[])',
        'order' => 'insert into orders (orderdate, customerid, netamount, tax, totalamount)'
            . ' values (current_date, $1, $2, $3, $4) returning orderid',
        'sell' => 'update inventory set quan_in_stock = quan_in_stock - $1, sales = sales + $2'
            . ' where prod_id = $3 and quan_in_stock >= $4',
        'lines' => 'insert into orderlines (orderid, orderlineid, prod_id, quantity, orderdate)'
            . ' select l.*, current_date from unnest($1::int[], $2::int[], $3::int[], $4::int[]) l',
        'bought' => 'insert into cust_hist (customerid, orderid, prod_id) select * from unnest($1::int[], $2::int[], $3::int[])',
        'restock' => 'update inventory set quan_in_stock = quan_in_stock + $1 where prod_id = $2 and quan_in_stock < $3',
        'remind' => 'insert into reorder (prod_id, date_low, quan_low, date_reordered, quan_reordered, date_expected)'
            . ' select prod_id, current_date, quan_in_stock - $1, current_date, $2::int, current_date + 7'
            . ' from inventory where prod_id = $3',
    ];

    /** @return array<string, string> those of version 2 or 3 */
    public static function of(int $version): array
    {
        return ($version === 3 ? self::VERSION3 : []) + self::STATEMENTS;
    }
}
