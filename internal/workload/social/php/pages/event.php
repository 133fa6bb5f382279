<?php
/* An event with its picture, who attends it, and what was said of it. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

serve('Event', function (): string {
    $id = number('eventid');
    $event = ask('select e.title, e.description, e.event_date, array_to_string(e.tags, \' \'), p.username, f.file_id, f.crc, e.document_id'
        . ' from events e join people p using (person_id) left join files f on f.file_id = e.picture_id where e.event_id = $1', [$id]);
    if ($event === []) {
        throw new Failure(404, "There is no event $id.");
    }
    [$title, $description, $when, $tags, $by, $file, $crc, $document] = $event[0];
    $html = hidden('eventid', (string) $id) . '<h2>' . escape($title) . '</h2>' . picture($file, $crc)
        . '<p>' . escape($when) . ' ' . escape($tags) . ', announced by ' . escape($by) . '</p><p>' . escape($description) . '</p>'
        . ($document === null ? '' : '<a href="file.php?fileid=' . $document . '">Document</a>');
    foreach (ask('select p.person_id, p.username from attendance a join people p using (person_id) where a.event_id = $1 order by p.person_id limit 20', [$id]) as [$person, $name]) {
        $html .= '<li><a href="person.php?personid=' . $person . '">' . escape($name) . '</a></li>';
    }
    foreach (ask('select p.username, c.said from comments c join people p using (person_id) where c.event_id = $1 order by c.comment_id desc limit 20', [$id]) as [$name, $said]) {
        $html .= '<blockquote>' . escape($name) . ': ' . escape($said) . '</blockquote>';
    }
    return $html;
});
