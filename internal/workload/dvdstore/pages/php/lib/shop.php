<?php
/* What all pages share: reading parameters, answering, what goes wrong. A page
 * calls serve(); lib/ lies beside the directory of the pages. */
declare(strict_types=1);

if (count(get_included_files()) === 1) { // called by its address
    http_response_code(404);
    exit;
}

require __DIR__ . '/database.php';
require __DIR__ . '/html.php';
require __DIR__ . '/request.php';

/** Failure ends a request; its message is for whoever asked. */
final class Failure extends RuntimeException
{
    public function __construct(public readonly int $status, string $message, ?Throwable $cause = null)
    {
        parent::__construct($message, 0, $cause);
    }
}

/** What a page answers with. */
final class Answer
{
    /**
     * @param string   $body  HTML that is escaped where it must be
     * @param int      $customer who goes on shopping, 0 is nobody
     * @param ?Closure $after work for after the answer was sent
     */
    public function __construct(
        public readonly string $body,
        public readonly int $customer = 0,
        public readonly ?Closure $after = null,
    ) {
    }
}

/**
 * Serves a request: with the form when it has no parameters (or only who the
 * customer is), else with the answer.
 *
 * @param string $directory of the page; its name ends with the version, 2 or 3
 * @param Closure(int $customer): string $form
 * @param Closure(Request): Answer $answer
 */
function serve(string $directory, string $title, Closure $form, Closure $answer): void
{
    ini_set('display_errors', '0');
    error_reporting(E_ALL & ~E_DEPRECATED); // of later versions of PHP
    ignore_user_abort(true); // an order is written or not, whoever waits for it
    set_error_handler(raise(...));
    $after = null;
    try {
        [$body, $customer, $after] = answered((int) substr($directory, -1), $form, $answer);
        send(200, document($directory, $title, $body, $customer));
    } catch (Throwable $e) {
        $failure = failureOf($e);
        send($failure->status, document($directory, $title, paragraph('error', $failure->getMessage())));
    }
    if ($after !== null) {
        afterwards($after);
    }
}

/** @return array{string, int, ?Closure} */
function answered(int $version, Closure $form, Closure $answer): array
{
    $request = new Request($version);
    if ($request->isForm()) {
        return [$form($request->visitor()), $request->visitor(), null];
    }
    $a = $answer($request);
    return [$a->body, $a->customer, $a->after];
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

function send(int $status, string $document): void
{
    http_response_code($status);
    header('Content-Type: text/html; charset=utf-8');
    header('Content-Length: ' . strlen($document));
    header('Cache-Control: no-store');
    echo $document;
}

/** Ends the answer and then does the work, of whose failure only the log learns. */
function afterwards(Closure $work): void
{
    if (function_exists('fastcgi_finish_request')) {
        fastcgi_finish_request();
    } else {
        flush();
    }
    try {
        $work();
    } catch (Throwable $e) {
        error_log('after the answer: ' . $e->getMessage());
    }
}
