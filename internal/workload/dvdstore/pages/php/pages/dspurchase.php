<?php
/* Shows the cart, or orders what is in it: in one transaction, which is rolled
 * back when a film is out of stock. Such films are restocked after the answer,
 * so that the share of orders rolled back does not rise. */
declare(strict_types=1);

require __DIR__ . '/../lib/shop.php';

const MAX_LINES = 200;
const MAX_QUANTITY = 1000;

serve(__DIR__, 'Purchase', emptyCart(...), function (Request $request): Answer {
    $confirmed = $request->has('confirmpurchase') && $request->choice('confirmpurchase', ['yes', 'no']) === 'yes';
    $customer = $request->customer();
    $lines = cart($request);
    $db = connect($request->version);
    $films = films($db, $lines);
    $net = 0;
    foreach ($lines as [$product, $quantity]) {
        $net += $films[$product][1] * $quantity;
    }
    $tax = intdiv($net * 825 + 5000, 10000); // 8.25 %, half a cent is rounded up
    if (!$confirmed) {
        return new Answer(cartForm($customer, $lines, $films, $net, $tax), $customer);
    }
    $short = [];
    $order = order($db, $customer, $lines, $net, $tax, $short);
    if ($order === null) {
        return new Answer(soldOut($short, $films), $customer, fn () => restock($db, $lines, $short));
    }
    return new Answer("<p>Thank you. This is order $order." . hidden('orderid', $order) . '</p>'
        . lineTable($lines, $films, $net, $tax), $customer);
});

function emptyCart(int $customer): string
{
    return "<p>The cart is empty. <a href=\"dsbrowse.php" . ($customer > 0 ? "?customerid=$customer" : '') . '">Browse</a> for films.</p>';
}

/**
 * The lines, in the order of their products: orders that lock stock in the
 * same order cannot deadlock over it.
 *
 * @return non-empty-list<array{int, int}> product and quantity
 */
function cart(Request $request): array
{
    $products = $request->numbers('item', 1, MAX_INT);
    $quantities = $request->has('quan') ? $request->numbers('quan', 1, MAX_QUANTITY) : array_fill(0, count($products), 1);
    if (count($products) !== count($quantities)) {
        throw new Failure(400, 'Parameters item[] and quan[] must be there equally often.');
    }
    if (count($products) > MAX_LINES) {
        throw new Failure(400, 'An order has at most ' . MAX_LINES . ' lines.');
    }
    $lines = array_map(null, $products, $quantities);
    usort($lines, static fn (array $a, array $b): int => $a[0] <=> $b[0]);
    return $lines;
}

/**
 * @param non-empty-list<array{int, int}> $lines
 * @return array<int, array{string, int}> title and price in hundredths, by product
 */
function films(Database $db, array $lines): array
{
    $films = [];
    foreach ($db->rowsOfList('prices', array_map(static fn (array $l): array => [$l[0]], $lines)) as [$id, $title, $price]) {
        $films[(int) $id] = [$title, (int) str_replace('.', '', $price)];
    }
    foreach ($lines as [$product]) {
        if (!isset($films[$product])) {
            throw new Failure(400, "There is no film $product.");
        }
    }
    return $films;
}

/**
 * Writes an order, or nothing when a film is out of stock.
 *
 * @param non-empty-list<array{int, int}> $lines
 * @param array<int, true> $short gets the products that are out of stock
 */
function order(Database $db, int $customer, array $lines, int $net, int $tax, array &$short): ?int
{
    try {
        return transaction($db, function () use ($db, $customer, $lines, $net, $tax, &$short): ?int {
            $short = [];
            $order = $db->insert('order', [$customer, money($net), money($tax), money($net + $tax)]);
            foreach ($lines as [$product, $quantity]) {
                if ($db->change('sell', [$quantity, $quantity, $product, $quantity]) === 0) {
                    $short[$product] = true;
                }
            }
            if ($short !== []) {
                return null;
            }
            $rows = $bought = [];
            foreach ($lines as $i => [$product, $quantity]) {
                $rows[] = [$order, $i + 1, $product, $quantity];
                $bought[] = [$customer, $order, $product];
            }
            $db->changeList('lines', $rows);
            $db->changeList('bought', $bought);
            return $order;
        });
    } catch (DatabaseError $e) {
        throw $e->kind === DatabaseTrouble::Reference ? new Failure(400, "There is no customer $customer.") : $e;
    }
}

/**
 * Orders more of what was out of stock, unless another purchase has.
 *
 * @param non-empty-list<array{int, int}> $lines
 * @param array<int, true> $short
 */
function restock(Database $db, array $lines, array $short): void
{
    $wanted = [];
    foreach ($lines as [$product, $quantity]) {
        $wanted[$product] = ($wanted[$product] ?? 0) + $quantity;
    }
    transaction($db, function () use ($db, $wanted, $short): bool {
        foreach (array_keys($short) as $product) {
            $more = $product % 10000 === 0 ? 5000 : 500; // every 10,000th is bought ten times as much
            if ($db->change('restock', [$more, $product, $wanted[$product]]) > 0) {
                $db->change('remind', [$more, $more, $product]);
            }
        }
        return true;
    });
}

/**
 * @param array<int, true> $short
 * @param array<int, array{string, int}> $films
 */
function soldOut(array $short, array $films): string
{
    $titles = implode(', ', array_map(static fn (int $product): string => $films[$product][0], array_keys($short)));
    return paragraph('soldout', "Not enough in stock, nothing was ordered: $titles. Please try again later.");
}

/**
 * @param non-empty-list<array{int, int}> $lines
 * @param array<int, array{string, int}> $films
 */
function lineTable(array $lines, array $films, int $net, int $tax, bool $change = false): string
{
    $rows = '';
    foreach ($lines as [$product, $quantity]) {
        [$title, $price] = $films[$product];
        $shown = $change
            ? hidden('item[]', $product) . '<input type="number" name="quan[]" min="1" max="' . MAX_QUANTITY . "\" value=\"$quantity\">"
            : (string) $quantity;
        $rows .= "<tr class=\"line\"><td>$shown</td><td>" . escape($title) . '</td><td>' . money($price) . '</td><td>'
            . money($price * $quantity) . '</td></tr>';
    }
    $sum = static fn (string $label, string $class, int $cents): string
        => "<tr><td></td><td>$label</td><td></td><td class=\"$class\">" . money($cents) . '</td></tr>';
    return table(['Quantity', 'Title', 'Price', 'Amount'], $rows
        . $sum('Net', 'net', $net) . $sum('Tax', 'tax', $tax) . $sum('Total', 'total', $net + $tax));
}

/**
 * @param non-empty-list<array{int, int}> $lines
 * @param array<int, array{string, int}> $films
 */
function cartForm(int $customer, array $lines, array $films, int $net, int $tax): string
{
    return form('dspurchase', 'Buy', hiddenCustomer($customer) . hidden('confirmpurchase', 'yes') . lineTable($lines, $films, $net, $tax, true));
}
