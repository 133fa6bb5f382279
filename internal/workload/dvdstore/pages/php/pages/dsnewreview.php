<?php
/* Takes a customer's review of a film. */
declare(strict_types=1);

require __DIR__ . '/../lib/shop.php';

serve(__DIR__, 'Write a review', reviewForm(...), function (Request $request): Answer {
    $customer = $request->customer();
    $product = $request->number('productid', 1, MAX_INT);
    $summary = $request->text('review_summary', 1, 50);
    $text = $request->text('review_text', 1, 1000);
    $stars = $request->number('review_stars', 1, 5);
    $db = connect($request->version);
    try {
        $review = $db->insert('review', [$stars, $customer, $summary, $text, $product]);
    } catch (DatabaseError $e) {
        throw $e->kind === DatabaseTrouble::Reference ? new Failure(400, "There is no customer $customer.") : $e;
    }
    if ($review === 0) {
        throw new Failure(400, "There is no film $product.");
    }
    return new Answer("<p>Thank you. This is review $review." . hidden('reviewid', $review) . '</p>', $customer);
});

function reviewForm(int $customer): string
{
    return form('dsnewreview', 'Send', customerField($customer)
        . numberField('Number of the film', 'productid', 1, MAX_INT)
        . field('Summary', 'review_summary', ' maxlength="50" required')
        . '<label>Review <textarea name="review_text" rows="6" cols="60" maxlength="1000" required></textarea></label>'
        . select('Stars', 'review_stars', [1 => '1', 2 => '2', 3 => '3', 4 => '4', 5 => '5']));
}
