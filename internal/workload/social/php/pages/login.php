<?php
/* Checks a name and a password, and shows the events that the person attends next. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

serve('My events', function (): string {
    $who = ask('login', [text('username'), text('password')]);
    if ($who === []) {
        return '<p class="refused">Name or password is wrong.</p>';
    }
    return hidden('personid', (int) $who[0][0]) . events(ask('attended', [(int) $who[0][0], LISTED]));
});
