<?php
/* Registers a person with a picture, which is what is sent. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

serve('Registered', function (): string {
    $picture = sent(number('picture', 1 << 20));
    $values = [text('username'), text('password'), text('about', 2000), number('ref')];
    return hidden('personid', transaction(database(), fn (): int => database()->insert('addperson', [...$values, keep($picture)])));
});
