<?php
/* Checks a name and a password, and shows the events that the person attends next. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

serve('My events', function (): string {
    $who = ask('select person_id from people where username = $1 and password = $2', [text('username'), text('password')]);
    if ($who === []) {
        return '<p class="refused">Name or password is wrong.</p>';
    }
    return hidden('personid', $who[0][0]) . events(ask(
        'select e.event_id, e.title, e.event_date, array_to_string(e.tags, \' \') from attendance a join events e using (event_id)'
        . ' where a.person_id = $1 order by e.event_date limit $2', [$who[0][0], LISTED]));
});
