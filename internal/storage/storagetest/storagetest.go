// Package storagetest is the conformance suite of storage classes: whatever
// hands out volumes passes it. It takes a function that makes the class and
// gives failures.
package storagetest
