<?php
/* The latest events. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

serve('Latest events', fn () => events(ask(
    'select event_id, title, event_date, array_to_string(tags, \' \') from events order by event_id desc limit $1', [LISTED])));
