<?php
/* A person with their picture and the events that they announced. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

serve('Person', function (): string {
    $id = number('personid');
    $person = ask('person', [$id]);
    if ($person === []) {
        throw new Failure(404, "There is no person $id.");
    }
    [$name, $about, $file, $crc] = $person[0];
    return hidden('personid', $id) . '<h2>' . escape($name) . '</h2>' . picture($file, $crc) . '<p>' . escape($about) . '</p>'
        . events(ask('announced', [$id, LISTED]));
});
