<?php
/* The latest events with a tag. */
declare(strict_types=1);

require __DIR__ . '/../lib/site.php';

serve('Events by tag', fn () => events(ask('tag', [text('tag'), LISTED])));
