<?php
/* Registers a person with a picture, which is what is sent. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

serve('Registered', function (): string {
    $picture = sent(number('picture', 1 << 20));
    $values = [text('username'), text('password'), text('about', 2000), number('ref')];
    return together(function () use ($values, $picture): string {
        $id = ask('insert into people (username, password, about, ref, picture_id) values ($1, $2, $3, $4, $5) returning person_id', [...$values, keep($picture)]);
        return hidden('personid', $id[0][0]);
    });
});
