<?php
/* Shows reviews, and a form that rates one of them. */
declare(strict_types=1);

if (count(get_included_files()) === 1) {
    http_response_code(404);
    exit;
}

const MAX_REVIEWS = 10000; // at once

/** @param list<list<?string>> $reviews as the statements give them */
function reviewList(array $reviews, int $customer): string
{
    if ($reviews === []) {
        return '<p>No review was found.</p>';
    }
    $rows = '';
    foreach ($reviews as [$id, $product, $stars, $date, $summary, $text, $helpfulness]) {
        $rows .= "<tr class=\"review\"><td><input type=\"radio\" name=\"reviewid\" value=\"$id\"></td><td>$product</td><td>$stars</td><td>$date</td><td>"
            . escape($summary ?? '') . '</td><td>' . escape($text ?? '') . "</td><td>$helpfulness</td></tr>";
    }
    return form('dsnewhelpfulness', 'Rate', customerField($customer)
        . table(['', 'Film', 'Stars', 'Date', 'Summary', 'Review', 'Helpfulness'], $rows) . ratingField());
}

function ratingField(): string
{
    return select('How helpful is the review?', 'review_helpfulness', array_combine(range(1, 10), array_map('strval', range(1, 10))));
}
