package kubernetes

import "time"

// AwaitPods bounds the wait for pods of servers, for tests of pods that never run.
func (k *Kubernetes) AwaitPods(limit time.Duration) { k.podsWithin = limit }
