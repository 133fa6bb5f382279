<?php
/* Reads and checks the parameters of a request. */
declare(strict_types=1);

if (count(get_included_files()) === 1) {
    http_response_code(404);
    exit;
}

const MAX_INT = 2147483647; // of the database's integer columns

final class Request
{
    public function __construct(public readonly int $version)
    {
        $method = $_SERVER['REQUEST_METHOD'] ?? 'GET';
        if ($method !== 'GET' && $method !== 'HEAD') {
            header('Allow: GET, HEAD');
            throw new Failure(405, 'This page takes only GET.');
        }
    }

    /** Without parameters a page shows its form. */
    public function isForm(): bool
    {
        return $_GET === [] || count($_GET) === 1 && isset($_GET['customerid']);
    }

    /** The customer who asks, 0 when nobody is logged in. */
    public function visitor(): int
    {
        return isset($_GET['customerid']) ? $this->number('customerid', 0, MAX_INT) : 0;
    }

    public function customer(): int
    {
        return $this->number('customerid', 1, MAX_INT);
    }

    /** One line of text of so many characters. */
    public function text(string $name, int $least, int $most): string
    {
        return $this->checkedText($name, $this->single($name), $least, $most);
    }

    /** Text that may be left out. */
    public function optionalText(string $name, int $most): string
    {
        return isset($_GET[$name]) ? $this->text($name, 0, $most) : '';
    }

    public function number(string $name, int $least, int $most): int
    {
        return $this->checkedNumber($name, $this->single($name), $least, $most);
    }

    public function optionalNumber(string $name, int $least, int $most, int $default): int
    {
        return isset($_GET[$name]) && $_GET[$name] !== '' ? $this->number($name, $least, $most) : $default;
    }

    /** @param list<string> $choices */
    public function choice(string $name, array $choices): string
    {
        $value = $this->single($name);
        if (!in_array($value, $choices, true)) {
            throw new Failure(400, "Parameter $name must be one of " . implode(', ', $choices) . '.');
        }
        return $value;
    }

    /**
     * A parameter that is there several times, name[]=….
     *
     * @return list<int>
     */
    public function numbers(string $name, int $least, int $most): array
    {
        $all = $_GET[$name] ?? null;
        if (!is_array($all) || $all === []) {
            throw new Failure(400, "Parameter {$name}[] is missing.");
        }
        $numbers = [];
        foreach ($all as $value) {
            if (!is_string($value)) {
                throw new Failure(400, "Parameter {$name}[] must be a list of numbers.");
            }
            $numbers[] = $this->checkedNumber($name . '[]', $value, $least, $most);
        }
        return $numbers;
    }

    public function has(string $name): bool
    {
        return isset($_GET[$name]);
    }

    private function single(string $name): string
    {
        $value = $_GET[$name] ?? throw new Failure(400, "Parameter $name is missing.");
        if (!is_string($value)) {
            throw new Failure(400, "Parameter $name must be there once.");
        }
        return $value;
    }

    private function checkedText(string $name, string $value, int $least, int $most): string
    {
        // neither broken UTF-8 nor control characters
        if (preg_match('/^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*\z/u', $value) !== 1) {
            throw new Failure(400, "Parameter $name must be text in UTF-8.");
        }
        if (preg_match("/^.{{$least},{$most}}\z/us", $value) !== 1) {
            throw new Failure(400, "Parameter $name must have $least to $most characters.");
        }
        return $value;
    }

    private function checkedNumber(string $name, string $value, int $least, int $most): int
    {
        if (preg_match('/^[0-9]{1,10}\z/', $value) !== 1 || (int) $value < $least || (int) $value > $most) {
            throw new Failure(400, "Parameter $name must be a number from $least to $most.");
        }
        return (int) $value;
    }
}
