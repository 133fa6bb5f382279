<?php
/* Shows reviews of a film: the most helpful ones, those with so many stars, or
 * the newest. */
declare(strict_types=1);

require __DIR__ . '/../lib/shop.php';
require __DIR__ . '/../lib/reviews.php';

serve(__DIR__, 'Reviews of a film', reviewsForm(...), function (Request $request): Answer {
    $type = $request->choice('getreviewtype', ['noorder', 'star', 'date']);
    $parameters = [$request->number('productid', 1, MAX_INT)];
    if ($type === 'star') {
        $parameters[] = $request->number('review_stars', 1, 5);
    }
    $parameters[] = $request->number('limit_num', 1, MAX_REVIEWS);
    $customer = $request->visitor();
    return new Answer(reviewList(connect($request->version)->rows("reviews$type", $parameters), $customer), $customer);
});

function reviewsForm(int $customer): string
{
    $film = numberField('Number of the film', 'productid', 1, MAX_INT);
    $rest = numberField('Reviews at most', 'limit_num', 1, MAX_REVIEWS, 10) . hiddenCustomer($customer);
    return form('dsgetreviews', 'Most helpful', hidden('getreviewtype', 'noorder') . $film . $rest)
        . form('dsgetreviews', 'By stars', hidden('getreviewtype', 'star') . $film . numberField('Stars', 'review_stars', 1, 5, 5) . $rest)
        . form('dsgetreviews', 'Newest', hidden('getreviewtype', 'date') . $film . $rest);
}
