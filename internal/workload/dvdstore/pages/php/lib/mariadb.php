<?php
/* The shop on MariaDB and MySQL, by PDO. PHP keeps connections from one request
 * to the next there, but no statements: each is prepared once in a request. */
declare(strict_types=1);

if (count(get_included_files()) === 1) {
    http_response_code(404);
    exit;
}

final class MariaDB implements Database
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

    private readonly PDO $connection;

    /** @var array<string, PDOStatement> */
    private array $prepared = [];

    /** @param array<string, string> $peer */
    public function __construct(array $peer, int $version)
    {
        if (!in_array('mysql', PDO::getAvailableDrivers(), true)) {
            throw new Failure(500, 'PHP has no extension pdo_mysql on this server.');
        }
        if ($peer['network'] === 'unix') {
            $where = 'unix_socket=' . $peer['address'];
        } else {
            $colon = (int) strrpos($peer['address'], ':');
            $where = 'host=' . trim(substr($peer['address'], 0, $colon), '[]') . ';port=' . substr($peer['address'], $colon + 1);
        }
        // once for each new connection: what a session on an existing server depends on, and is this the schema?
        $shop = '(select count(*) from ' . ($version === 3 ? 'MEMBERSHIP' : 'CUSTOMERS') . ' where CUSTOMERID = 0)';
        $first = $peer['session'] === '' ? "do $shop" : "{$peer['session']}, @shop = $shop";
        try {
            $this->connection = new PDO("mysql:$where;dbname={$peer['database']};charset=utf8mb4", $peer['user'], $peer['password'], [
                PDO::ATTR_PERSISTENT => "version$version", // a connection of its own for each version
                PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
                PDO::ATTR_EMULATE_PREPARES => false,
                PDO::ATTR_STRINGIFY_FETCHES => true,
                PDO::ATTR_TIMEOUT => 10,
                PDO::MYSQL_ATTR_INIT_COMMAND => $first,
            ]);
        } catch (PDOException $e) {
            $error = self::error('connect', $e);
            throw $error->kind === DatabaseTrouble::Schema ? $error
                : new DatabaseError(DatabaseTrouble::Unreachable, $error->getMessage(), $error->state, $e);
        }
    }

    public function rows(string $statement, array $parameters): array
    {
        return $this->perform(self::STATEMENTS[$statement], $parameters)->fetchAll(PDO::FETCH_NUM);
    }

    public function change(string $statement, array $parameters): int
    {
        return $this->perform(self::STATEMENTS[$statement], $parameters)->rowCount();
    }

    public function insert(string $statement, array $parameters): int
    {
        $inserted = $this->perform(self::STATEMENTS[$statement], $parameters)->rowCount();
        return $inserted === 0 ? 0 : (int) $this->connection->lastInsertId();
    }

    public function rowsOfList(string $statement, array $list): array
    {
        return $this->perform(self::repeated($statement, count($list)), array_merge(...$list))->fetchAll(PDO::FETCH_NUM);
    }

    public function changeList(string $statement, array $list): void
    {
        $this->perform(self::repeated($statement, count($list)), array_merge(...$list));
    }

    public function begin(): void
    {
        $this->control($this->connection->beginTransaction(...));
    }

    public function commit(): void
    {
        $this->control($this->connection->commit(...));
    }

    public function rollback(): void
    {
        try {
            if ($this->connection->inTransaction()) {
                $this->connection->rollBack();
            }
        } catch (PDOException $e) { // the server rolls back when a connection ends
            error_log('roll back: ' . $e->getMessage());
        }
    }

    /** @param Closure(): bool $step */
    private function control(Closure $step): void
    {
        try {
            $step();
        } catch (PDOException $e) {
            throw self::error('transaction', $e);
        }
    }

    /** @param list<int|string|null> $parameters */
    private function perform(string $sql, array $parameters): PDOStatement
    {
        try {
            $s = $this->prepared[$sql] ??= $this->connection->prepare($sql);
            foreach ($parameters as $i => $value) {
                $s->bindValue($i + 1, $value, is_int($value) ? PDO::PARAM_INT : PDO::PARAM_STR);
            }
            $s->execute();
            return $s;
        } catch (PDOException $e) {
            throw self::error($sql, $e);
        }
    }

    /** Writes a statement for so many rows. */
    private static function repeated(string $statement, int $rows): string
    {
        [$before, $row, $after] = preg_split('/[{}]/', self::STATEMENTS[$statement]);
        return $before . $row . str_repeat(', ' . $row, $rows - 1) . $after;
    }

    private static function error(string $what, PDOException $e): DatabaseError
    {
        $kind = match ($e->errorInfo[1] ?? 0) {
            1040, 1053, 1203, 1927, 2002, 2006, 2013, 4031 => DatabaseTrouble::Unreachable,
            1062 => DatabaseTrouble::Duplicate,
            1452 => DatabaseTrouble::Reference,
            1213, 1020 => DatabaseTrouble::Conflict,
            1054, 1146 => DatabaseTrouble::Schema,
            default => DatabaseTrouble::Other,
        };
        return new DatabaseError($kind, "$what: " . $e->getMessage(), (string) ($e->errorInfo[0] ?? ''), $e);
    }
}
