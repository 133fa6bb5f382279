<?php
/* A person with their picture and the events that they announced. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

serve('Person', function (): string {
    $id = number('personid');
    $person = ask('select p.username, p.about, f.file_id, f.crc from people p left join files f on f.file_id = p.picture_id where p.person_id = $1', [$id]);
    if ($person === []) {
        throw new Failure(404, "There is no person $id.");
    }
    [$name, $about, $file, $crc] = $person[0];
    return hidden('personid', (string) $id) . '<h2>' . escape($name) . '</h2>' . picture($file, $crc) . '<p>' . escape($about) . '</p>'
        . events(ask('select event_id, title, event_date, array_to_string(tags, \' \') from events where person_id = $1 order by event_date desc limit $2', [$id, LISTED]));
});
