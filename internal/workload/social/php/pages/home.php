<?php
/* The latest events. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

serve('Latest events', fn () => events(ask('home', [LISTED])));
