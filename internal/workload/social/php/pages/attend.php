<?php
/* A person attends an event, once. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

serve('Attending', function (): string {
    $event = number('eventid');
    $added = database()->change('attend', [$event, number('personid'), number('ref')]);
    return $added === 0 ? '<p class="taken">You attend this event already.</p>' : hidden('eventid', $event);
});
