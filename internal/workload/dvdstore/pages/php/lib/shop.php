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

/** Connects to the database of version 2 or 3. */
function connect(int $version): Database
{
    require_once __DIR__ . '/statements-' . engine() . '.php';
    return reach("ds$version ", $version === 3 ? 'MEMBERSHIP' : 'CUSTOMERS', Statements::of($version));
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
    begin();
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
