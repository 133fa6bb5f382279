<?php
/* Finds reviews of the films of an actor, or with a word in the title: of the
 * first search_depth reviews those that were rated most helpful. */
declare(strict_types=1);

require __DIR__ . '/../lib/shop.php';
require __DIR__ . '/../lib/reviews.php';

const MAX_DEPTH = 1000000;

serve(__DIR__, 'Search reviews', searchForm(...), function (Request $request): Answer {
    $type = $request->choice('browsereviewtype', ['actor', 'title']);
    $wanted = $request->text("review_$type", 1, 50);
    $depth = $request->number('search_depth', 1, MAX_DEPTH);
    $limit = $request->number('limit_num', 1, MAX_REVIEWS);
    $customer = $request->visitor();
    $found = connect($request->version)->rows("reviewsby$type", [$wanted, $depth, $limit]);
    return new Answer(reviewList($found, $customer), $customer);
});

function searchForm(int $customer): string
{
    $rest = numberField('Reviews to look at', 'search_depth', 1, MAX_DEPTH, 500)
        . numberField('Reviews at most', 'limit_num', 1, MAX_REVIEWS, 10) . hiddenCustomer($customer);
    return form('dsbrowsereviews', 'Search', hidden('browsereviewtype', 'actor') . field('Actor', 'review_actor', ' maxlength="50" required') . $rest)
        . form('dsbrowsereviews', 'Search', hidden('browsereviewtype', 'title') . field('Title', 'review_title', ' maxlength="50" required') . $rest);
}
