<?php
/* Puts a file on the volume that belongs to a row, and is what is sent. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

serve('Restored', function (): string {
    $bytes = sent(number('bytes', 1 << 20));
    $number = number('fileid');
    $volume = volume() ?? throw new Failure(404, 'Files are in the database.');
    if (ask('checksum', [$number]) !== [[(string) crc32($bytes)]]) {
        throw new Failure(400, "That is not file $number.");
    }
    write($volume, $number, $bytes, false);
    return hidden('fileid', $number);
});
