package mail

// ArrivalIn is arrivalIn.
var ArrivalIn = arrivalIn
