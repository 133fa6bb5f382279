package kubernetes

import (
	"context"
	"errors"

	"plimsoll/internal/app"
	"plimsoll/internal/platform"
)

var errPending = errors.New("this version of Plimsoll runs servers on Kubernetes, but no tasks yet")

// Task is to come.
func (k *Kubernetes) Task(context.Context, platform.Task) (platform.Running, error) {
	return nil, errPending
}

// Reserve is to come.
func (k *Kubernetes) Reserve(context.Context, []platform.Task) (func(context.Context) error, error) {
	return nil, errPending
}

// Find is to come.
func (k *Kubernetes) Find(context.Context, app.Engine, string, bool) (app.Installation, error) {
	return app.Installation{}, errPending
}

// taskOn is to come.
func (k *Kubernetes) taskOn(context.Context, platform.Task, string) (platform.Running, error) {
	return nil, errPending
}

// taskContainer is the container of a task's pod in which it runs.
const taskContainer = "task"
