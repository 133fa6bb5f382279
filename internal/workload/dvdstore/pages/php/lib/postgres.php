<?php
/* The shop on PostgreSQL, by the extension pgsql: its persistent connections
 * keep their prepared statements from one request to the next, those of PDO do
 * not. A request therefore takes one round trip a statement. */
declare(strict_types=1);

if (count(get_included_files()) === 1) {
    http_response_code(404);
    exit;
}

final class Postgres implements Database
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

    private readonly PgSql\Connection $connection;

    /** @param array<string, string> $peer */
    public function __construct(array $peer, private readonly int $version)
    {
        $c = self::connected($peer);
        // Whoever opens a persistent connection anew has asked the server
        // something; if the server has restarted, this is known by now.
        if ($c !== false && pg_connection_status($c) !== PGSQL_CONNECTION_OK) {
            $c = self::connected($peer);
        }
        if ($c === false || pg_connection_status($c) !== PGSQL_CONNECTION_OK) {
            throw new DatabaseError(DatabaseTrouble::Unreachable, 'connect: ' . (error_get_last()['message'] ?? ''), '');
        }
        pg_set_error_verbosity($c, PGSQL_ERRORS_VERBOSE); // with SQLSTATE
        $this->connection = $c;
        $this->settle($peer['session']);
    }

    /** The name that a session has once it is settled, which the server tells without being asked. */
    private const SETTLED = 'plimsoll pages';

    /**
     * Sets what a session on an existing server depends on. PHP resets a persistent
     * connection for each request.
     */
    private function settle(string $session): void
    {
        if ($session !== '' && pg_parameter_status($this->connection, 'application_name') !== self::SETTLED) {
            $this->control("$session; set application_name = '" . self::SETTLED . "'");
        }
    }

    /** @param array<string, string> $peer */
    private static function connected(array $peer): PgSql\Connection|false
    {
        if (!function_exists('pg_pconnect')) {
            throw new Failure(500, 'PHP has no extension pgsql on this server.');
        }
        if ($peer['network'] === 'unix') { // the socket, or its directory and maybe the port
            preg_match('~^(.*?)(?:(?:/\.s\.PGSQL\.|:)(\d+))?$~D', $peer['address'], $part);
            [$host, $port] = [$part[1], $part[2] ?? '5432'];
        } else {
            $colon = (int) strrpos($peer['address'], ':');
            [$host, $port] = [trim(substr($peer['address'], 0, $colon), '[]'), substr($peer['address'], $colon + 1)];
        }
        $text = "connect_timeout=10 client_encoding='UTF8' sslmode=disable";
        foreach (['host' => $host, 'port' => $port, 'dbname' => $peer['database'], 'user' => $peer['user'], 'password' => $peer['password']] as $key => $value) {
            $text .= " $key='" . addcslashes($value, "'\\") . "'";
        }
        return @pg_pconnect($text);
    }

    public function rows(string $statement, array $parameters): array
    {
        return pg_fetch_all($this->perform($statement, $parameters), PGSQL_NUM);
    }

    public function change(string $statement, array $parameters): int
    {
        return pg_affected_rows($this->perform($statement, $parameters));
    }

    public function insert(string $statement, array $parameters): int
    {
        $result = $this->perform($statement, $parameters);
        return pg_num_rows($result) === 0 ? 0 : (int) pg_fetch_result($result, 0, 0);
    }

    public function rowsOfList(string $statement, array $list): array
    {
        return $this->rows($statement, self::columns($list));
    }

    public function changeList(string $statement, array $list): void
    {
        $this->perform($statement, self::columns($list));
    }

    public function begin(): void
    {
        $this->control('begin');
    }

    public function commit(): void
    {
        $this->control('commit');
    }

    public function rollback(): void
    {
        if (pg_connection_status($this->connection) === PGSQL_CONNECTION_OK
            && pg_transaction_status($this->connection) !== PGSQL_TRANSACTION_IDLE) {
            $this->control('rollback');
        }
    }

    private function control(string $sql): void
    {
        if (@pg_query($this->connection, $sql) === false) {
            throw $this->error($sql);
        }
    }

    /** @param list<int|string|null> $parameters */
    private function perform(string $statement, array $parameters): PgSql\Result
    {
        $name = $this->version . $statement;
        $result = @pg_execute($this->connection, $name, $parameters);
        if ($result !== false) {
            return $result;
        }
        $e = $this->error($statement);
        if ($e->state !== '26000') { // no such statement: the connection is new
            throw $e;
        }
        $this->prepare();
        $result = @pg_execute($this->connection, $name, $parameters);
        return $result === false ? throw $this->error($statement) : $result;
    }

    private function prepare(): void
    {
        foreach (($this->version === 3 ? self::VERSION3 : []) + self::STATEMENTS as $name => $sql) {
            if (@pg_prepare($this->connection, $this->version . $name, $sql) === false) {
                $e = $this->error("prepare $name");
                if ($e->state !== '42P05') { // it is there
                    throw $e;
                }
            }
        }
    }

    private function error(string $what): DatabaseError
    {
        $message = pg_last_error($this->connection);
        $state = preg_match('/^[^:]+:\s+([0-9A-Z]{5}):/', $message, $found) === 1 ? $found[1] : '';
        $lost = pg_connection_status($this->connection) !== PGSQL_CONNECTION_OK || str_starts_with($state, '57P');
        $kind = match (true) {
            $lost => DatabaseTrouble::Unreachable,
            $state === '23505' => DatabaseTrouble::Duplicate,
            $state === '23503' => DatabaseTrouble::Reference,
            $state === '40P01' || $state === '40001' => DatabaseTrouble::Conflict,
            $state === '42P01' || $state === '42703' => DatabaseTrouble::Schema,
            default => DatabaseTrouble::Other,
        };
        return new DatabaseError($kind, "$what: $message", $state);
    }

    /**
     * Writes the columns of rows as arrays.
     *
     * @param non-empty-list<list<int>> $list
     * @return list<string>
     */
    private static function columns(array $list): array
    {
        $columns = [];
        foreach (array_keys($list[0]) as $i) {
            $columns[] = '{' . implode(',', array_column($list, $i)) . '}';
        }
        return $columns;
    }
}
