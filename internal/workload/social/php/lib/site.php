<?php
/* What all pages share: parameters, the database (PostgreSQL), and a frame of HTML. A page
 * that fails says so in an element of the class "error", with a status of its own. */
declare(strict_types=1);

if (count(get_included_files()) === 1) {
    http_response_code(404);
    exit;
}

final class Failure extends RuntimeException
{
    public function __construct(public readonly int $status, string $message)
    {
        parent::__construct($message);
    }
}

const LISTED = 10;               // events on a page
const MAX_ID = 9007199254740991; // numbers that every client has exactly

/** Writes a page of what $body gives: HTML, with everything that is not a constant escaped. */
function serve(string $title, Closure $body): void
{
    try {
        $html = $body();
        $status = 200;
    } catch (Failure $e) {
        $html = '<p class="error">' . escape($e->getMessage()) . '</p>';
        $status = $e->status;
    }
    http_response_code($status);
    echo '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>' . $title . ' - Events</title></head><body>'
        . '<nav><a href="home.php">Events</a> <a href="login.php">Log in</a> <a href="tag.php">Search</a></nav>'
        . "<h1>$title</h1>$html</body></html>\n";
}

function escape(?string $text): string
{
    return htmlspecialchars($text ?? '', ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML5, 'UTF-8');
}

/** A parameter that must be a number. */
function number(string $name, int $most = MAX_ID): int
{
    $value = $_GET[$name] ?? '';
    if (!is_string($value) || preg_match('/^[0-9]{1,16}\z/', $value) !== 1 || (int) $value > $most) {
        throw new Failure(400, "Parameter $name must be a number up to $most.");
    }
    return (int) $value;
}

/** A parameter of one line of text. */
function text(string $name, int $most = 200): string
{
    $value = $_GET[$name] ?? '';
    if (!is_string($value) || preg_match("/^[^\\x00-\\x1f\\x7f]{1,$most}\\z/u", $value) !== 1) {
        throw new Failure(400, "Parameter $name must have 1 to $most characters.");
    }
    return $value;
}

/** What was sent with the request, so many bytes. */
function sent(int $bytes): string
{
    if (($_SERVER['REQUEST_METHOD'] ?? '') !== 'POST') {
        throw new Failure(405, 'This page takes only POST.');
    }
    $body = (string) file_get_contents('php://input');
    if (strlen($body) !== $bytes) {
        throw new Failure(400, 'The files have ' . strlen($body) . " bytes, not the $bytes that the address says.");
    }
    return $body;
}

/** A connection that PHP keeps from one request to the next. */
function database(): PgSql\Connection
{
    static $connection = null;
    if ($connection !== null) {
        return $connection;
    }
    $peer = (require 'peers.php')['db'];
    if ($peer['kind'] !== 'sql:postgres') {
        throw new Failure(500, 'The application runs on PostgreSQL, and was given another database.');
    }
    $connection = connected($peer);
    if ($connection === null || pg_connection_status($connection) !== PGSQL_CONNECTION_OK) {
        $connection = connected($peer); // the kept one was lost, as is known by now
    }
    if ($connection === null || pg_connection_status($connection) !== PGSQL_CONNECTION_OK) {
        $connection = null;
        throw new Failure(503, 'The database cannot be reached.');
    }
    if ($peer['session'] !== '') {
        @pg_query($connection, $peer['session']);
    }
    return $connection;
}

/** @param array<string, string> $peer */
function connected(array $peer): ?PgSql\Connection
{
    if ($peer['network'] === 'unix') { // the socket, or its directory and maybe the port
        preg_match('~^(.*?)(?:(?:/\.s\.PGSQL\.|:)(\d+))?$~D', $peer['address'], $part);
        [$host, $port] = [$part[1], $part[2] ?? '5432'];
    } else {
        $colon = (int) strrpos($peer['address'], ':');
        [$host, $port] = [trim(substr($peer['address'], 0, $colon), '[]'), substr($peer['address'], $colon + 1)];
    }
    $words = "connect_timeout=10 client_encoding='UTF8' sslmode=disable";
    foreach (['host' => $host, 'port' => $port, 'dbname' => $peer['database'], 'user' => $peer['user'], 'password' => $peer['password']] as $key => $value) {
        $words .= " $key='" . addcslashes($value, "'\\") . "'";
    }
    $c = @pg_pconnect($words);
    return $c === false ? null : $c;
}

/**
 * Performs a statement and gives its rows, all values as text.
 *
 * @param list<int|string|null> $parameters
 * @return list<list<?string>>
 */
function ask(string $statement, array $parameters = []): array
{
    $result = @pg_query_params(database(), $statement, $parameters);
    if ($result === false) {
        $message = pg_last_error(database());
        error_log($message);
        throw new Failure(pg_connection_status(database()) === PGSQL_CONNECTION_OK ? 500 : 503, 'The database reported an error.');
    }
    return pg_fetch_all($result, PGSQL_NUM);
}

/** A transaction: all that $work does is done, or nothing. */
function together(Closure $work): string
{
    ask('begin');
    try {
        $html = $work();
        ask('commit');
        return $html;
    } catch (Throwable $e) {
        @pg_query(database(), 'rollback');
        throw $e;
    }
}

/** Keeps a file and gives its number. */
function keep(string $bytes): string
{
    return ask('insert into files (content, crc) values ($1, $2) returning file_id', ['\\x' . bin2hex($bytes), crc32($bytes)])[0][0];
}

/** A number for forms and for drivers. */
function hidden(string $name, string $value): string
{
    return "<input type=\"hidden\" name=\"$name\" value=\"" . escape($value) . '">';
}

/** The picture of a person or an event, with its checksum for whoever fetches it. */
function picture(?string $file, ?string $crc): string
{
    return $file === null ? '' : '<img src="file.php?fileid=' . $file . '" alt="">' . hidden('pictureid', $file) . hidden('picturecrc', (string) $crc);
}

/** @param list<list<?string>> $events number, title, date, tags */
function events(array $events): string
{
    $html = '';
    foreach ($events as [$id, $title, $when, $tags]) {
        $html .= '<li><a href="event.php?eventid=' . $id . '">' . escape($title) . '</a> ' . escape($when) . ' ' . escape($tags) . hidden('eventid', (string) $id) . '</li>';
    }
    return $html === '' ? '<p>No event was found.</p>' : "<ul>$html</ul>";
}
