<?php
/* PostgreSQL, by the extension pgsql: its persistent connections keep their
 * prepared statements from one request to the next, those of PDO do not. A
 * request therefore takes one round trip a statement. */
declare(strict_types=1);

if (count(get_included_files()) === 1) {
    http_response_code(404);
    exit;
}

final class Postgres implements Database
{
    private readonly PgSql\Connection $connection;

    /**
     * @param array<string, string> $peer
     * @param array<string, string> $statements by name; they are prepared in this order
     */
    public function __construct(array $peer, private readonly string $application, private readonly array $statements)
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

    public function binary(string $bytes): string
    {
        return '\\x' . bin2hex($bytes);
    }

    public function bytes(string $value): string
    {
        return pg_unescape_bytea($value);
    }

    public function begin(): void
    {
        $this->perform('begin', []); // on a new connection, statements cannot be prepared later: one that is not there ends the transaction
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
        $name = $this->application . $statement;
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
        foreach ($this->statements + ['begin' => 'begin'] as $name => $sql) {
            if (@pg_prepare($this->connection, $this->application . $name, self::numbered($sql)) === false) {
                $e = $this->error("prepare $name");
                if ($e->state !== '42P05') { // it is there
                    throw $e;
                }
            }
        }
    }

    /** Writes the parameters of a statement that has question marks for them as PostgreSQL does. */
    private static function numbered(string $sql): string
    {
        $n = 0;
        return (string) preg_replace_callback('/\?/', static function () use (&$n): string {
            return '$' . ++$n;
        }, $sql);
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
