package data

// phrases is the length of each list of phrases for reviews. All phrases are our own.
const phrases = 32

// judgements and genres make a summary.
var judgements = [phrases]string{
	"A bold", "A brave", "A charming", "A clumsy", "A clever", "A dull", "A faithful", "A fresh",
	"A gloomy", "A graceful", "A gripping", "A hasty", "A lively", "A loud", "A minor", "A modest",
	"A noisy", "A patient", "A pleasant", "A polished", "A predictable", "A quiet", "A rather long", "A restless",
	"A sharp", "A slow", "A solid", "A strange", "A tender", "A tired", "A warm", "A well-made",
}

var genres = [phrases]string{
	"adventure", "biography", "chase", "comedy", "crime story", "debut", "documentary", "drama",
	"fable", "fairy tale", "family film", "farce", "ghost story", "heist", "history lesson", "love story",
	"melodrama", "mystery", "parody", "portrait", "puzzle", "remake", "road movie", "romance",
	"satire", "sequel", "spy film", "thriller", "tragedy", "war film", "western", "whodunit",
}

// subjects, verdicts and reasons make a sentence.
var subjects = [phrases]string{
	"The acting", "The camera", "The cast", "The colour of it all", "The cutting", "The dialogue", "The direction", "The ending",
	"The first half", "The humour", "The leading actor", "The lighting", "The love story", "The music", "The narrator", "The opening scene",
	"The pace", "The picture on this disc", "The plot", "The scenery", "The script", "The second half", "The second disc", "The sound",
	"The subplot", "The supporting cast", "The suspense", "The title song", "The translation", "The twist", "The villain", "What they call action",
}

var verdicts = [phrases]string{
	"deserves every prize it won", "did not convince me", "does what it should", "fell flat for me", "gets better each time", "goes on for too long", "grew on me", "has its moments",
	"holds it all together", "is a reason to buy it", "is better than I'd feared", "is easy to follow", "is hard to forget", "is nothing special", "is the best I've seen", "is the weak point",
	"is worth the price", "kept me awake", "left me cold", "left us speechless", "looks & feels cheap", "made me laugh out loud", "made my children cry", "made us stop & rewind",
	"reminded me of better films", "saves the film", "spoils the film", "surprised all of us", "took some time to work", "wastes a good idea", "wears thin", "won me over",
}

var reasons = [phrases]string{
	"after the first hour", "all the way to the credits", "although I'd read the book", "although nobody else agrees", "and so does the rest", "and that's rare these days", "as far as I can tell", "as I'd been promised",
	"at least on a small screen", "because nothing is explained", "because they took their time", "but only once", "but the rest doesn't", "even on a long flight", "even the second time", "for reasons I can't name",
	"from the first minute", "if you like that sort of thing", "in spite of the budget", "in the middle of the night", "more than I'd expected", "more than in the cinema", "most of the time", "on a rainy afternoon",
	"once you know who did it", "though the price is fair", "till the neighbours complained", "to my great relief", "when seen with friends", "with or without subtitles", "without trying too hard", "without a word being said",
}
