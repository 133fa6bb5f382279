<?php
/* Registers a customer, if the name is free. */
declare(strict_types=1);

require __DIR__ . '/../lib/shop.php';

const UNITED_STATES = 1;
const REST_OF_WORLD = 2;

serve(__DIR__, 'Register', registerForm(...), function (Request $request): Answer {
    $row = customer($request);
    try {
        $customer = connect($request->version)->insert('register', $row);
    } catch (DatabaseError $e) {
        if ($e->kind !== DatabaseTrouble::Duplicate) {
            throw $e;
        }
        return new Answer(paragraph('taken', 'This name is taken, please choose another.') . registerForm());
    }
    return new Answer('<p>Welcome, ' . escape($request->text('username', 1, 50)) . '. You are customer '
        . $customer . '.' . hiddenCustomer($customer) . '</p>', $customer);
});

/** @return list<int|string|null> */
function customer(Request $r): array
{
    $country = $r->text('country', 1, 50);
    $month = $r->number('ccexpmon', 1, 12);
    $year = $r->number('ccexpyr', 1, 9999);
    $gender = $r->optionalText('gender', 1);
    return [
        $r->text('firstname', 1, 50), $r->text('lastname', 1, 50),
        $r->text('address1', 1, 50), $r->optionalText('address2', 50), $r->text('city', 1, 50),
        $r->optionalText('state', 50), sprintf('%05d', $r->optionalNumber('zip', 0, 999999999, 0)),
        $country, $country === 'US' ? UNITED_STATES : REST_OF_WORLD,
        $r->optionalText('email', 50), $r->optionalText('phone', 50),
        $r->number('creditcardtype', 1, 5), $r->text('creditcard', 1, 50), sprintf('%04d/%02d', $year, $month),
        $r->text('username', 1, 50), $r->text('password', 1, 50),
        $r->number('age', 0, 127), $r->number('income', 0, MAX_INT), $gender === '' ? null : $gender,
    ];
}

function registerForm(int $_ = 0): string
{
    $text = static fn (string $label, string $name, bool $required = true): string
        => field($label, $name, ' maxlength="50"' . ($required ? ' required' : ''));
    return form('dsnewcustomer', 'Register',
        $text('First name', 'firstname') . $text('Last name', 'lastname')
        . $text('Address', 'address1') . $text('Address, second line', 'address2', false) . $text('City', 'city')
        . $text('State', 'state', false) . field('Zip', 'zip', ' pattern="[0-9]{0,9}"')
        . field('Country', 'country', ' maxlength="50" required', 'US')
        . $text('Email', 'email', false) . $text('Phone', 'phone', false)
        . select('Credit card', 'creditcardtype', [1 => 'MasterCard', 2 => 'Visa', 3 => 'Discover', 4 => 'Amex', 5 => 'Dell Preferred'])
        . $text('Number of the card', 'creditcard')
        . numberField('Valid to: month', 'ccexpmon', 1, 12) . numberField('Year', 'ccexpyr', 1, 9999)
        . $text('User name', 'username') . field('Password', 'password', ' type="password" maxlength="50" required')
        . numberField('Age', 'age', 0, 127) . numberField('Income', 'income', 0, MAX_INT)
        . select('Gender', 'gender', ['' => 'not given', 'F' => 'female', 'M' => 'male']));
}
