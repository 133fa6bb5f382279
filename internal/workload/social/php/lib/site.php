<?php
/* What all pages share: parameters, the database, and a frame of HTML. A page that fails
 * says so in an element of the class "error", with a status of its own. */
declare(strict_types=1);

if (count(get_included_files()) === 1) {
    http_response_code(404);
    exit;
}

require __DIR__ . '/database.php';

const LISTED = 10;               // events on a page
const MAX_ID = 9007199254740991; // numbers that every client has exactly

/** Writes a page of what $body gives: HTML, with everything that is not a constant escaped. */
function serve(string $title, Closure $body): void
{
    begin();
    try {
        [$status, $html] = [200, $body()];
    } catch (Throwable $e) {
        $failure = failureOf($e);
        [$status, $html] = [$failure->status, '<p class="error">' . escape($failure->getMessage()) . '</p>'];
    }
    send($status, '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>' . $title . ' - Events</title></head><body>'
        . '<nav><a href="home.php">Events</a> <a href="login.php">Log in</a> <a href="tag.php">Search</a></nav>'
        . "<h1>$title</h1>$html</body></html>\n");
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

/** The connection of a request, which PHP keeps for the next. */
function database(): Database
{
    static $connection = null;
    return $connection ??= reach('social ', 'people', (require __DIR__ . '/statements.php')(engine()));
}

/**
 * Performs a statement and gives its rows, all values as text.
 *
 * @param list<int|string|null> $parameters
 * @return list<list<?string>>
 */
function ask(string $statement, array $parameters): array
{
    return database()->rows($statement, $parameters);
}

/** The directory for files on a volume; null where they are kept in the database. */
function volume(): ?string
{
    return (require 'peers.php')['files']['path'] ?? null;
}

/** Where a file lies on the volume: a thousand in each directory. */
function pathOf(string $volume, int $number): string
{
    return $volume . '/' . intdiv($number, 1000) . "/$number";
}

/** Keeps a file and gives its number. On a volume it is on the disk before its row is. */
function keep(string $bytes): int
{
    $volume = volume();
    $number = database()->insert('keep', [$volume === null ? database()->binary($bytes) : null, crc32($bytes)]);
    if ($volume !== null) {
        write($volume, $number, $bytes, true);
    }
    return $number;
}

/** Writes a file to the volume, and if it must be, to the disk. */
function write(string $volume, int $number, string $bytes, bool $flush): void
{
    $path = pathOf($volume, $number);
    if (!is_dir(dirname($path))) {
        @mkdir(dirname($path), 0700); // another page may have made it meanwhile
    }
    $file = fopen($path, 'wb');
    if (fwrite($file, $bytes) !== strlen($bytes) || !fflush($file) || $flush && !fsync($file) || !fclose($file)) {
        throw new RuntimeException("$path could not be written");
    }
}

/** The file of a number, as it was sent. */
function fileOf(int $number): string
{
    $volume = volume();
    if ($volume !== null) {
        $path = pathOf($volume, $number);
        return is_file($path) ? file_get_contents($path) : throw new Failure(404, "There is no file $number.");
    }
    $file = ask('file', [$number]);
    return $file === [] ? throw new Failure(404, "There is no file $number.") : database()->bytes($file[0][0]);
}

/** A number for forms and for drivers. */
function hidden(string $name, int|string $value): string
{
    return "<input type=\"hidden\" name=\"$name\" value=\"" . escape((string) $value) . '">';
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
        $html .= '<li><a href="event.php?eventid=' . $id . '">' . escape($title) . '</a> ' . escape($when) . ' ' . escape($tags) . hidden('eventid', $id) . '</li>';
    }
    return $html === '' ? '<p>No event was found.</p>' : "<ul>$html</ul>";
}
