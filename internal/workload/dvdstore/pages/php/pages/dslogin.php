<?php
/* Logs a customer in and shows what the customer bought last, each film with
 * another that was bought with it. */
declare(strict_types=1);

require __DIR__ . '/../lib/shop.php';

serve(__DIR__, 'Log in', loginForm(...), function (Request $request): Answer {
    $name = $request->text('username', 1, 50);
    $password = $request->text('password', 1, 50);
    $db = connect($request->version);
    $found = $db->rows('login', [$name, $password]);
    if ($found === []) {
        return new Answer(paragraph('refused', 'There is no customer of this name and password.') . loginForm());
    }
    $customer = (int) $found[0][0];
    $films = '';
    foreach ($db->rows('history', [$customer]) as [$title, $actor, $related]) {
        $films .= '<tr class="film"><td>' . escape($title) . '</td><td>' . escape($actor) . '</td><td>' . escape($related) . '</td></tr>';
    }
    return new Answer('<p>Welcome, ' . escape($name) . '.' . hiddenCustomer($customer) . '</p>'
        . ($films === '' ? '<p>You have not bought a film yet.</p>'
            : '<h2>What you bought last</h2>' . table(['Title', 'Actor', 'Others also bought'], $films)), $customer);
});

function loginForm(int $_ = 0): string
{
    return form('dslogin', 'Log in', field('Name', 'username', ' maxlength="50" required')
        . field('Password', 'password', ' type="password" maxlength="50" required'));
}
