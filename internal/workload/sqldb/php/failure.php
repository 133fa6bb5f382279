<?php
/* What goes wrong in a page, and how a page is sent. */
declare(strict_types=1);

if (count(get_included_files()) === 1) {
    http_response_code(404);
    exit;
}

/** Failure ends a request; its message is for whoever asked. */
final class Failure extends RuntimeException
{
    public function __construct(public readonly int $status, string $message, ?Throwable $cause = null)
    {
        parent::__construct($message, 0, $cause);
    }
}

/** Begins a page: nothing but what it sends is written, and warnings are exceptions. */
function begin(): void
{
    ini_set('display_errors', '0');
    error_reporting(E_ALL & ~E_DEPRECATED); // of later versions of PHP
    ignore_user_abort(true); // what is asked for is done or not, whoever waits for it
    set_error_handler(raise(...));
}

/** Turns warnings into exceptions; those that @ suppresses are handled there. */
function raise(int $severity, string $message, string $file, int $line): bool
{
    if ((error_reporting() & $severity) === 0) {
        return false;
    }
    throw new ErrorException($message, 0, $severity, $file, $line);
}

/** What to tell about an error; the log gets all of it. */
function failureOf(Throwable $e): Failure
{
    if ($e instanceof Failure) {
        if ($e->status >= 500) {
            error_log($e->getMessage() . ($e->getPrevious() === null ? '' : ': ' . $e->getPrevious()->getMessage()));
        }
        return $e;
    }
    error_log($e instanceof DatabaseError ? $e->getMessage() : (string) $e);
    if ($e instanceof DatabaseError) {
        return $e->failure();
    }
    return new Failure(500, 'The page failed; the log of PHP says why.');
}

/** Sends a whole page of HTML. */
function send(int $status, string $document): void
{
    http_response_code($status);
    header('Content-Type: text/html; charset=utf-8');
    header('Content-Length: ' . strlen($document));
    header('Cache-Control: no-store');
    echo $document;
}
