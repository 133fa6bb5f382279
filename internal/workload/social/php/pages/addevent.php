<?php
/* Announces an event. The picture and then the document are what is sent. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

serve('Announced', function (): string {
    $picture = number('picture', 1 << 20);
    $body = sent($picture + number('document', 1 << 20));
    $values = [number('personid'), text('title'), text('description', 2000), number('ref'), text('tags')];
    return hidden('eventid', transaction(database(), fn (): int => database()->insert('addevent',
        [...$values, keep(substr($body, 0, $picture)), keep(substr($body, $picture))])));
});
