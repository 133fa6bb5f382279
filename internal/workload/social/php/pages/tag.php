<?php
/* The latest events with a tag. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

serve('Events by tag', fn () => events(ask(
    'select event_id, title, event_date, array_to_string(tags, \' \') from events where tags @> array[$1::text]'
    . ' order by event_date desc, event_id desc limit $2', [text('tag'), LISTED])));
