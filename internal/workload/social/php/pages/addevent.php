<?php
/* Announces an event. The picture and then the document are what is sent. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

serve('Announced', function (): string {
    $picture = number('picture', 1 << 20);
    $body = sent($picture + number('document', 1 << 20));
    $tags = explode(' ', text('tags'));
    $values = [number('personid'), text('title'), text('description', 2000), number('ref'), '{' . implode(',', array_map(fn ($t) => '"' . addcslashes($t, '"\\') . '"', $tags)) . '}'];
    return together(function () use ($values, $body, $picture): string {
        $id = ask('insert into events (person_id, title, description, ref, tags, event_date, picture_id, document_id)'
            . ' values ($1, $2, $3, $4, $5, current_date + 30, $6, $7) returning event_id',
            [...$values, keep(substr($body, 0, $picture)), keep(substr($body, $picture))]);
        return hidden('eventid', $id[0][0]);
    });
});
