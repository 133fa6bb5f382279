<?php
/* Makes a customer a member for a year. */
declare(strict_types=1);

require __DIR__ . '/../lib/shop.php';

serve(__DIR__, 'Become a member', memberForm(...), function (Request $request): Answer {
    $customer = $request->customer();
    $level = $request->number('membershiplevel', 1, 3);
    try {
        connect($request->version)->change('member', [$customer, $level]);
    } catch (DatabaseError $e) {
        if ($e->kind === DatabaseTrouble::Duplicate) {
            return new Answer(paragraph('taken', 'You are a member already.'), $customer);
        }
        throw $e->kind === DatabaseTrouble::Reference ? new Failure(400, "There is no customer $customer.") : $e;
    }
    return new Answer(paragraph('member', "You are a member of level $level.") . hiddenCustomer($customer), $customer);
});

function memberForm(int $customer): string
{
    return form('dsnewmember', 'Become a member', customerField($customer)
        . select('Level', 'membershiplevel', [1 => '1', 2 => '2', 3 => '3']));
}
