// The programs of a Kubernetes node in one binary: the first argument, or the name
// that it is called by, says which.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlerrors "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

// command gives the command of a program, or nil.
func command(program string) *cobra.Command {
	switch program {
	case "kube-apiserver":
		return apiserver.NewAPIServerCommand()
	case "kube-controller-manager":
		return controllers.NewControllerManagerCommand()
	case "kube-scheduler":
		return scheduler.NewSchedulerCommand()
	case "kube-proxy":
		return proxy.NewProxyCommand()
	case "kubelet":
		return kubelet.NewKubeletCommand()
	case "kubectl":
		return kubectl.NewDefaultKubectlCommand()
	}
	return nil
}

func main() {
	program := filepath.Base(os.Args[0])
	cmd := command(program)
	if cmd == nil && len(os.Args) > 1 {
		program, os.Args = os.Args[1], os.Args[1:]
		cmd = command(program)
	}
	switch {
	case cmd == nil:
		fmt.Fprintln(os.Stderr, "usage: kube kube-apiserver|kube-controller-manager|kube-scheduler|kube-proxy|kubelet|kubectl ...")
		os.Exit(2)
	case program == "kubectl": // it writes its errors itself
		kubectlerrors.CheckErr(cli.RunNoErrOutput(cmd))
	default:
		os.Exit(cli.Run(cmd))
	}
}
