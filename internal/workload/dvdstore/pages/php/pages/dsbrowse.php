<?php
/* Finds films by category (those on special offer), actor or title. */
declare(strict_types=1);

require __DIR__ . '/../lib/shop.php';

const CATEGORIES = [
    1 => 'Action', 'Animation', 'Children', 'Classics', 'Comedy', 'Documentary', 'Drama', 'Family',
    'Foreign', 'Games', 'Horror', 'Music', 'New', 'Sci-Fi', 'Sports', 'Travel',
];

serve(__DIR__, 'Browse', browseForm(...), function (Request $request): Answer {
    $type = $request->choice('browsetype', ['category', 'actor', 'title']);
    $wanted = $type === 'category' ? $request->number('browse_category', 1, count(CATEGORIES))
        : $request->text("browse_$type", 1, 50);
    $limit = $request->number('limit_num', 1, 20000);
    $customer = $request->visitor();
    $films = '';
    foreach (connect($request->version)->rows($type, [$wanted, $limit]) as [$id, $title, $actor, $price]) {
        $films .= "<tr class=\"film\"><td><input type=\"checkbox\" name=\"item[]\" value=\"$id\"></td><td>" . escape($title)
            . '</td><td>' . escape($actor) . "</td><td>$price</td></tr>";
    }
    if ($films === '') {
        return new Answer('<p>No film was found.</p>' . browseForm($customer), $customer);
    }
    return new Answer(form('dspurchase', 'Put into the cart', customerField($customer)
        . table(['', 'Title', 'Actor', 'Price'], $films)), $customer);
});

function browseForm(int $customer): string
{
    $rest = numberField('Films at most', 'limit_num', 1, 20000, 10) . hiddenCustomer($customer);
    return form('dsbrowse', 'Search', hidden('browsetype', 'category') . select('Special offers in', 'browse_category', CATEGORIES) . $rest)
        . form('dsbrowse', 'Search', hidden('browsetype', 'actor') . field('Actor', 'browse_actor', ' maxlength="50" required') . $rest)
        . form('dsbrowse', 'Search', hidden('browsetype', 'title') . field('Title', 'browse_title', ' maxlength="50" required') . $rest);
}
