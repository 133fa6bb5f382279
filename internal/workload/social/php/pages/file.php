<?php
/* A file as it was sent. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

begin();
try {
    $bytes = fileOf(number('fileid'));
    header('Content-Type: application/octet-stream');
    header('Content-Length: ' . strlen($bytes));
    echo $bytes;
} catch (Throwable $e) {
    $failure = failureOf($e);
    http_response_code($failure->status);
    echo $failure->getMessage();
}
