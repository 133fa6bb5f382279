<?php
/* An event with its picture, who attends it, and what was said of it. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

serve('Event', function (): string {
    $id = number('eventid');
    $event = ask('event', [$id]);
    if ($event === []) {
        throw new Failure(404, "There is no event $id.");
    }
    [$title, $description, $when, $tags, $by, $file, $crc, $document] = $event[0];
    $html = hidden('eventid', $id) . '<h2>' . escape($title) . '</h2>' . picture($file, $crc)
        . '<p>' . escape($when) . ' ' . escape($tags) . ', announced by ' . escape($by) . '</p><p>' . escape($description) . '</p>'
        . ($document === null ? '' : '<a href="file.php?fileid=' . $document . '">Document</a>');
    foreach (ask('attendants', [$id]) as [$person, $name]) {
        $html .= '<li><a href="person.php?personid=' . $person . '">' . escape($name) . '</a></li>';
    }
    foreach (ask('comments', [$id]) as [$name, $said]) {
        $html .= '<blockquote>' . escape($name) . ': ' . escape($said) . '</blockquote>';
    }
    return $html;
});
