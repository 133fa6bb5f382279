<?php
/* Takes a customer's rating of how helpful a review is. */
declare(strict_types=1);

require __DIR__ . '/../lib/shop.php';
require __DIR__ . '/../lib/reviews.php';

serve(__DIR__, 'Rate a review', rateForm(...), function (Request $request): Answer {
    $customer = $request->customer();
    $review = $request->number('reviewid', 1, MAX_INT);
    $helpfulness = $request->number('review_helpfulness', 1, 10);
    try {
        $rating = connect($request->version)->insert('rate', [$review, $helpfulness, $customer]);
    } catch (DatabaseError $e) {
        throw $e->kind === DatabaseTrouble::Reference ? new Failure(400, "There is no review $review.") : $e;
    }
    if ($rating === 0) {
        throw new Failure(400, "There is no customer $customer.");
    }
    return new Answer('<p>Thank you.' . hidden('reviewhelpfulnessid', $rating) . '</p>', $customer);
});

function rateForm(int $customer): string
{
    return form('dsnewhelpfulness', 'Rate', customerField($customer)
        . numberField('Number of the review', 'reviewid', 1, MAX_INT) . ratingField());
}
