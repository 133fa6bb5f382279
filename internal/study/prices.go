package study

import (
	"fmt"
	"math"
	"strconv"

	"golang.org/x/text/currency"

	"plimsoll/internal/describe/protection"
)

// DriveItem is the kind of the items of a price that are drives.
const DriveItem = "drive"

var priceKinds = []string{"server", DriveItem, "controller", "licence", "subscription", "support"}

// prices checks the cost model. Its price must be a number above or equal to
// 0; NaN and infinity never get here, as they are no numbers in a study.
func (c *checker) prices() {
	p := c.study.Prices
	if p == nil || c.root.get("prices").form != mapping {
		return
	}
	if !IsCurrency(p.Currency) {
		c.wrong("prices.currency", fmt.Sprintf("%q is not a currency", p.Currency), "a code of ISO 4217, such as USD or EUR")
	}
	if p.Years <= 0 {
		c.wrong("prices.years", fmt.Sprintf("years must be above 0, got %v", p.Years), "the period that the prices cover, such as 3")
	}
	if len(p.Items) == 0 {
		c.wrong("prices.items", "the list of items is empty", "at least one, with name, quantity and price")
	}
	for i, item := range p.Items {
		c.priceItem(item, "prices.items."+strconv.Itoa(i))
	}
}

// IsCurrency reports whether a code is one of ISO 4217, in its capital letters.
func IsCurrency(code string) bool {
	unit, err := currency.ParseISO(code)
	return err == nil && unit.String() == code
}

func (c *checker) priceItem(item PriceItem, path string) {
	for _, key := range []string{"name", "quantity", "price"} {
		if n := c.root.at(path); n.form == mapping && n.get(key) == nil {
			c.wrong(path, "the item has no "+key, "name, quantity and price")
		}
	}
	if item.Quantity < 0 {
		c.wrong(path+".quantity", fmt.Sprintf("%v is negative", item.Quantity), "0 or more")
	}
	if item.Price < 0 {
		c.wrong(path+".price", fmt.Sprintf("%v is negative", item.Price), "0 or more")
	}
	if item.Kind != "" && !contains(priceKinds, item.Kind) {
		c.near(c.root.at(path+".kind"), path+".kind", fmt.Sprintf("unknown kind %q", item.Kind), item.Kind, priceKinds)
	}
	c.usableSpace(item, path)
	for _, factor := range sortedKeys(item.For) {
		c.priceFor(factor, item.For[factor], path+".for")
	}
}

// usableSpace checks the protection and the reserve of drives.
func (c *checker) usableSpace(item PriceItem, path string) {
	if item.Protection == "" {
		if item.Reserve != 0 {
			c.wrong(path+".reserve", "a reserve without a protection", "protection too, such as replica 1 on JBOD")
		}
		return
	}
	if _, err := protection.Parse(item.Protection); err != nil {
		c.wrong(path+".protection", err.Error(), "how the drives keep data")
	}
	if item.Capacity <= 0 {
		c.wrong(path+".protection", "the item has no capacity to protect", "capacity, such as 10TB")
	}
	if item.Reserve < 0 || item.Reserve >= 1 {
		c.wrong(path+".reserve", fmt.Sprintf("%v is no share of a capacity", item.Reserve), "0 or more and less than 100%")
	}
}

// Usable is the space in bytes that the units of an item leave for data; 0 where the item does
// not say how they keep it.
func (i PriceItem) Usable() float64 {
	of, err := protection.Parse(i.Protection)
	if err != nil {
		return 0
	}
	return math.Round(of.Usable(i.Quantity*float64(i.Capacity)) * (1 - float64(i.Reserve)))
}

// priceFor checks that an item applies to some variant at all.
func (c *checker) priceFor(factor, level, path string) {
	levels := map[string][]string{"storage": c.study.StorageOrder}
	for _, f := range c.study.Matrix.Factors {
		if _, named := levels[f.Path]; !named {
			levels[f.Path] = levelTexts(f.Levels)
		}
	}
	at := c.root.at(path).at(factor)
	known, is := levels[factor]
	switch {
	case !is:
		c.near(at, path, fmt.Sprintf("%q is not varied", factor), factor, sortedKeys(levels))
	case !contains(known, level):
		c.near(at, path, fmt.Sprintf("%s has no level %q", factor, level), level, known)
	}
}

func levelTexts(levels []any) []string {
	texts := make([]string, len(levels))
	for i, l := range levels {
		texts[i] = LevelText(l)
	}
	return texts
}
