<?php
/* What the application asks of its database, by name: gives the statements for an engine. */
declare(strict_types=1);

if (count(get_included_files()) === 1) {
    http_response_code(404);
    exit;
}

/** @return array<string, string> */
return static function (string $engine): array {
    $postgres = $engine === 'postgres';
    $numbered = static fn (string $column): string => $postgres ? " returning $column" : ''; // elsewhere the number comes by itself
    $tagged = $postgres ? "string_to_array(tags, ' ') @> array[?::text]" : 'match (tags) against (?)';
    [$ignoring, $once] = $postgres ? ['', ' on conflict (event_id, person_id) do nothing'] : ['ignore ', ''];
    return [
        'home' => 'select event_id, title, event_date, tags from events order by event_id desc limit ?',
        'tag' => "select event_id, title, event_date, tags from events where $tagged order by event_date desc, event_id desc limit ?",
        'login' => 'select person_id from people where username = ? and password = ?',
        'attended' => 'select e.event_id, e.title, e.event_date, e.tags from attendance a join events e on e.event_id = a.event_id'
            . ' where a.person_id = ? order by e.event_date limit ?',
        'event' => 'select e.title, e.description, e.event_date, e.tags, p.username, f.file_id, f.crc, e.document_id'
            . ' from events e join people p on p.person_id = e.person_id left join files f on f.file_id = e.picture_id where e.event_id = ?',
        'attendants' => 'select p.person_id, p.username from attendance a join people p on p.person_id = a.person_id'
            . ' where a.event_id = ? order by p.person_id limit 20',
        'comments' => 'select p.username, c.said from comments c join people p on p.person_id = c.person_id'
            . ' where c.event_id = ? order by c.comment_id desc limit 20',
        'person' => 'select p.username, p.about, f.file_id, f.crc from people p left join files f on f.file_id = p.picture_id where p.person_id = ?',
        'announced' => 'select event_id, title, event_date, tags from events where person_id = ? order by event_date desc limit ?',
        'file' => 'select content from files where file_id = ?',
        'checksum' => 'select crc from files where file_id = ?',
        'keep' => 'insert into files (content, crc) values (?, ?)' . $numbered('file_id'),
        'addperson' => 'insert into people (username, password, about, ref, picture_id) values (?, ?, ?, ?, ?)' . $numbered('person_id'),
        'addevent' => 'insert into events (person_id, title, description, ref, tags, event_date, picture_id, document_id)'
            . " values (?, ?, ?, ?, ?, current_date + interval '30' day, ?, ?)" . $numbered('event_id'),
        'attend' => "insert {$ignoring}into attendance (event_id, person_id, ref) values (?, ?, ?)$once",
        'comment' => 'insert into comments (event_id, person_id, said, ref) values (?, ?, ?, ?)' . $numbered('comment_id'),
    ];
};
