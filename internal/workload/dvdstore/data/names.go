package data

// How many words and names there are to search for.
const (
	TitleWords = 1000 // a title is two of them
	FirstNames = 200
	LastNames  = 200
	Actors     = FirstNames * LastNames
	Categories = 16
)

// The lists must have exactly the promised lengths.
var (
	_ [TitleWords]string = titleWords
	_ [FirstNames]string = firstNames
	_ [LastNames]string  = lastNames
)

var categories = [Categories]string{
	"Action", "Animation", "Children", "Classics", "Comedy", "Documentary", "Drama", "Family",
	"Foreign", "Games", "Horror", "Music", "New", "Sci-Fi", "Sports", "Travel",
}

// Category returns the name of category id, 1..Categories.
func Category(id int64) string { return categories[id-1] }

// TitleWord returns one of the words that titles are made of, i in
// [0, TitleWords). Words are in capitals.
func TitleWord(i int64) string { return titleWords[i] }

// Actor returns the first and last name of an actor, i in [0, Actors). The
// actor column holds them with a space between.
func Actor(i int64) (first, last string) {
	return firstNames[i/LastNames], lastNames[i%LastNames]
}
