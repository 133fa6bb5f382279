<?php
/* A person says something of an event. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

serve('Comment', function (): string {
    $id = ask('insert into comments (event_id, person_id, said, ref) values ($1, $2, $3, $4) returning comment_id',
        [number('eventid'), number('personid'), text('said', 1000), number('ref')]);
    return hidden('commentid', $id[0][0]);
});
