<?php
/* A file as it was sent. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

try {
    $file = ask("select encode(content, 'base64') from files where file_id = \$1", [number('fileid')]);
    if ($file === []) {
        throw new Failure(404, 'There is no such file.');
    }
    header('Content-Type: application/octet-stream');
    echo base64_decode($file[0][0]);
} catch (Failure $e) {
    http_response_code($e->status);
    echo $e->getMessage();
}
