// With an assembly file in the package, functions may have no body: see runtime.go.
