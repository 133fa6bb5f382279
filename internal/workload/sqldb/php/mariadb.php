<?php
/* MariaDB and MySQL, by PDO. PHP keeps connections from one request
 * to the next there, but no statements: each is prepared once in a request. */
declare(strict_types=1);

if (count(get_included_files()) === 1) {
    http_response_code(404);
    exit;
}

final class MariaDB implements Database
{
    private readonly PDO $connection;

    /** @var array<string, PDOStatement> */
    private array $prepared = [];

    /**
     * @param array<string, string> $peer
     * @param string $table that the application must find
     * @param array<string, string> $statements by name; what is in braces is repeated for each row of a list
     */
    public function __construct(array $peer, string $application, string $table, private readonly array $statements)
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
        $found = "(select count(*) from $table where 1 = 0)";
        $first = $peer['session'] === '' ? "do $found" : "{$peer['session']}, @found = $found";
        try {
            $this->connection = new PDO("mysql:$where;dbname={$peer['database']};charset=utf8mb4", $peer['user'], $peer['password'], [
                PDO::ATTR_PERSISTENT => $application, // a connection of its own for each
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
        return $this->perform($this->statements[$statement], $parameters)->fetchAll(PDO::FETCH_NUM);
    }

    public function change(string $statement, array $parameters): int
    {
        return $this->perform($this->statements[$statement], $parameters)->rowCount();
    }

    public function insert(string $statement, array $parameters): int
    {
        $inserted = $this->perform($this->statements[$statement], $parameters)->rowCount();
        return $inserted === 0 ? 0 : (int) $this->connection->lastInsertId();
    }

    public function rowsOfList(string $statement, array $list): array
    {
        return $this->perform($this->repeated($statement, count($list)), array_merge(...$list))->fetchAll(PDO::FETCH_NUM);
    }

    public function changeList(string $statement, array $list): void
    {
        $this->perform($this->repeated($statement, count($list)), array_merge(...$list));
    }

    public function binary(string $bytes): string
    {
        return $bytes;
    }

    public function bytes(string $value): string
    {
        return $value;
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
    private function repeated(string $statement, int $rows): string
    {
        [$before, $row, $after] = preg_split('/[{}]/', $this->statements[$statement]);
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
