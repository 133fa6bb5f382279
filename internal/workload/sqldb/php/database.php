<?php
/* The database of an application, on PostgreSQL or MariaDB. Its statements have
 * names, and are the application's. */
declare(strict_types=1);

if (count(get_included_files()) === 1) {
    http_response_code(404);
    exit;
}

require __DIR__ . '/failure.php';

interface Database
{
    /**
     * Performs a statement and gives its rows, all values as text.
     *
     * @param list<int|string|null> $parameters
     * @return list<list<?string>>
     */
    public function rows(string $statement, array $parameters): array;

    /**
     * Performs a statement that changes rows, and says how many.
     *
     * @param list<int|string|null> $parameters
     */
    public function change(string $statement, array $parameters): int;

    /**
     * Inserts a row and gives its number, 0 when the statement inserted none.
     *
     * @param list<int|string|null> $parameters
     */
    public function insert(string $statement, array $parameters): int;

    /**
     * Performs a statement for a list of rows of integers at once.
     *
     * @param non-empty-list<list<int>> $list
     * @return list<list<?string>>
     */
    public function rowsOfList(string $statement, array $list): array;

    /** @param non-empty-list<list<int>> $list */
    public function changeList(string $statement, array $list): void;

    /** Writes bytes as a parameter for a column of bytes. */
    public function binary(string $bytes): string;

    /** Reads a value of a column of bytes. */
    public function bytes(string $value): string;

    public function begin(): void;

    public function commit(): void;

    /** Rolls back if a transaction is open. */
    public function rollback(): void;
}

/** What the database reported, of the same kinds on both engines. */
final class DatabaseError extends RuntimeException
{
    public function __construct(public readonly DatabaseTrouble $kind, string $message, public readonly string $state, ?Throwable $cause = null)
    {
        parent::__construct($message, 0, $cause);
    }

    public function failure(): Failure
    {
        $told = $this->kind->told() . ($this->state === '' ? '' : " (SQLSTATE $this->state)") . '.';
        return new Failure($this->kind === DatabaseTrouble::Unreachable ? 503 : 500, $told, $this);
    }
}

enum DatabaseTrouble
{
    case Unreachable; // not connected, or the connection was lost
    case Duplicate;   // the value must be unique
    case Reference;   // the row referred to does not exist
    case Conflict;    // deadlock or serialisation: the transaction may be tried again
    case Schema;      // a table or column is not there
    case Other;

    public function told(): string
    {
        return match ($this) {
            self::Unreachable => 'The database cannot be reached',
            self::Conflict => 'The database ended the transaction because of others',
            self::Schema => 'The database does not have the schema of this application, or of this version of it',
            default => 'The database reported an error',
        };
    }
}

/** How often a transaction is tried that conflicts with others. */
const TRIES = 5;

/**
 * Performs work in a transaction, and again when it conflicts with others. The
 * work gives null to roll back.
 *
 * @template T
 * @param Closure(): ?T $work
 * @return ?T
 */
function transaction(Database $db, Closure $work): mixed
{
    for ($try = 1;; $try++) {
        try {
            $db->begin();
            $result = $work();
            $result === null ? $db->rollback() : $db->commit();
            return $result;
        } catch (DatabaseError $e) {
            $db->rollback();
            if ($e->kind !== DatabaseTrouble::Conflict || $try === TRIES) {
                throw $e;
            }
        } catch (Throwable $e) {
            $db->rollback();
            throw $e;
        }
    }
}

/** The database's engine, as the server's configuration says: postgres or mariadb. */
function engine(): string
{
    return match ((require 'peers.php')['db']['kind']) {
        'sql:postgres' => 'postgres',
        'sql:mariadb' => 'mariadb',
        default => throw new Failure(500, 'The application does not run on the database that it was given.'),
    };
}

/**
 * Connects as the server's configuration says: peers.php, in the include path.
 *
 * @param string $application whose connections and statements these are; others may use the same database
 * @param string $table that it must find
 * @param array<string, string> $statements by name, in the words of the engine
 */
function reach(string $application, string $table, array $statements): Database
{
    $peer = (require 'peers.php')['db'];
    if (engine() === 'postgres') {
        require_once __DIR__ . '/postgres.php';
        return new Postgres($peer, $application, $statements);
    }
    require_once __DIR__ . '/mariadb.php';
    return new MariaDB($peer, $application, $table, $statements);
}
