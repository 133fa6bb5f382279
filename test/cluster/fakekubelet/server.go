package fakekubelet

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// handler answers what the API server asks a kubelet.
func (k *Kubelets) handler(node string) http.Handler {
	mux := http.NewServeMux()
	for _, pattern := range []string{"/exec/{namespace}/{pod}/{container}", "/exec/{namespace}/{pod}/{uid}/{container}"} {
		mux.HandleFunc(pattern, k.ofContainer((*container).serveExec))
	}
	for _, pattern := range []string{"/portForward/{namespace}/{pod}", "/portForward/{namespace}/{pod}/{uid}"} {
		mux.HandleFunc(pattern, k.ofContainer((*container).serveForward))
	}
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", k.ofContainer(func(c *container, w http.ResponseWriter, r *http.Request) { c.log.serve(w, r) }))
	mux.HandleFunc("GET /stats/summary", func(w http.ResponseWriter, _ *http.Request) { k.serveSummary(node, w) })
	return mux
}

func (k *Kubelets) ofContainer(serve func(*container, http.ResponseWriter, *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p := k.named(r.PathValue("namespace"), r.PathValue("pod"))
		if p == nil {
			http.Error(w, "this node has no such pod", http.StatusNotFound)
			return
		}
		c := p.container(r.PathValue("container"))
		if c == nil {
			http.Error(w, "the pod has no such container", http.StatusNotFound)
			return
		}
		serve(c, w, r)
	}
}

// serveSummary serves the kubelet's statistics, in its format. The figures never change.
func (k *Kubelets) serveSummary(node string, w http.ResponseWriter) {
	now := time.Now().UTC().Format(time.RFC3339)
	cpu := map[string]any{"time": now, "usageNanoCores": 0, "usageCoreNanoSeconds": 0}
	memory := map[string]any{"time": now, "usageBytes": 0, "workingSetBytes": 0, "availableBytes": 1 << 37}
	pods := []any{}
	k.mu.Lock()
	for _, p := range k.pods {
		if p.object.Spec.NodeName == node {
			pods = append(pods, map[string]any{"podRef": map[string]any{"name": p.object.Name, "namespace": p.object.Namespace, "uid": p.object.UID}, "startTime": p.began, "cpu": cpu, "memory": memory})
		}
	}
	k.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	text, err := json.Marshal(map[string]any{"node": map[string]any{"nodeName": node, "startTime": now, "cpu": cpu, "memory": memory}, "pods": pods})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintf(w, "%s\n", text)
}
