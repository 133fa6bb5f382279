<?php
/* Writes HTML. Everything that is not a constant goes through escape(). */
declare(strict_types=1);

if (count(get_included_files()) === 1) {
    http_response_code(404);
    exit;
}

const STYLE = 'body{font:16px/1.5 sans-serif;max-width:60em;margin:auto;padding:0 1em;color:#222}'
    . 'nav a{margin-right:1em}table{border-collapse:collapse}td,th{padding:.2em .8em .2em 0;text-align:left;border-bottom:1px solid #ddd}'
    . 'form{background:#f4f4f0;padding:.5em 1em;margin:1em 0;border-radius:.5em}label{display:block;margin:.3em 0}'
    . 'nav{padding:1em 0;border-bottom:2px solid #268}a{color:#268}.error,.refused,.taken,.soldout{color:#a00}';

function escape(string $text): string
{
    return htmlspecialchars($text, ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML5, 'UTF-8');
}

/** A whole page, with links that keep who the customer is. */
function document(string $directory, string $title, string $body, int $customer = 0): string
{
    $who = $customer > 0 ? '?customerid=' . $customer : '';
    $links = '<a href="dslogin.php">Log in</a><a href="dsnewcustomer.php">Register</a>'
        . "<a href=\"dsbrowse.php$who\">Browse</a>";
    if ($directory[-1] === '3') {
        $links .= "<a href=\"dsbrowsereviews.php$who\">Search reviews</a><a href=\"dsgetreviews.php$who\">Reviews of a film</a>"
            . "<a href=\"dsnewreview.php$who\">Write a review</a><a href=\"dsnewmember.php$who\">Become a member</a>";
    }
    return '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>' . $title . ' - DVD Store</title><style>'
        . STYLE . "</style></head><body><nav>$links</nav><h1>$title</h1>$body</body></html>\n";
}

function paragraph(string $class, string $text): string
{
    return "<p class=\"$class\">" . escape($text) . '</p>';
}

function hidden(string $name, int|string $value): string
{
    return "<input type=\"hidden\" name=\"$name\" value=\"" . escape((string) $value) . '">';
}

/** The customer, for forms and for drivers; nothing when nobody is logged in. */
function hiddenCustomer(int $customer): string
{
    return $customer > 0 ? hidden('customerid', $customer) : '';
}

function form(string $page, string $button, string $fields): string
{
    return "<form action=\"$page.php\">$fields<p><button>$button</button></p></form>";
}

function field(string $label, string $name, string $attributes = '', string $value = ''): string
{
    $value = $value === '' ? '' : ' value="' . escape($value) . '"';
    return "<label>$label <input name=\"$name\"$value$attributes></label>";
}

function numberField(string $label, string $name, int $least, int $most, int|string $value = ''): string
{
    return field($label, $name, " type=\"number\" min=\"$least\" max=\"$most\" required", (string) $value);
}

/** Who the customer is: known, or to be filled in. */
function customerField(int $customer): string
{
    return $customer > 0 ? hiddenCustomer($customer) : numberField('Customer number', 'customerid', 1, MAX_INT);
}

/** @param array<int|string, string> $choices value => label */
function select(string $label, string $name, array $choices): string
{
    $options = '';
    foreach ($choices as $value => $text) {
        $options .= '<option value="' . escape((string) $value) . '">' . escape($text) . '</option>';
    }
    return "<label>$label <select name=\"$name\">$options</select></label>";
}

/** @param list<string> $headings */
function table(array $headings, string $rows): string
{
    return '<table><thead><tr><th>' . implode('</th><th>', $headings) . "</th></tr></thead><tbody>$rows</tbody></table>";
}

/** An amount of money in hundredths. */
function money(int $cents): string
{
    return sprintf('%d.%02d', intdiv($cents, 100), $cents % 100);
}
