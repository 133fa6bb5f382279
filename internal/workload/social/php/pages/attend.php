<?php
/* A person attends an event, once. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

serve('Attending', function (): string {
    $event = number('eventid');
    $there = ask('insert into attendance (event_id, person_id, ref) values ($1, $2, $3) on conflict (event_id, person_id) do nothing returning event_id',
        [$event, number('personid'), number('ref')]);
    return $there === [] ? '<p class="taken">You attend this event already.</p>' : hidden('eventid', (string) $event);
});
