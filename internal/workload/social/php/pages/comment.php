<?php
/* A person says something of an event. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

serve('Comment', fn () => hidden('commentid', database()->insert('comment',
    [number('eventid'), number('personid'), text('said', 1000), number('ref')])));
