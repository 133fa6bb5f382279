package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/host/namespace"
	"plimsoll/internal/host/thread"
	"plimsoll/internal/study"
)

// Deploys says why this machine cannot set instances apart in a way.
func (Kind) Deploys(_ context.Context, d study.Deployment) error {
	switch d.OrBare() {
	case study.Bare:
		return nil
	case study.Container:
		return containersMissing()
	case study.VM:
		return machinesMissing("/dev/kvm", "/proc/cpuinfo")
	}
	return fmt.Errorf("unknown deployment %q", d)
}

// containersMissing tries what a container is made of.
func containersMissing() error {
	if os.Geteuid() != 0 {
		return errors.New("namespaces and control groups of its own for every instance need root: run plimsoll as root")
	}
	for _, program := range []string{"mount", "setpriv"} {
		if doctor.Lookup(program) == "" {
			return fmt.Errorf("there is no program %s; run: %s", program, doctor.Install("mount util-linux", "util-linux"))
		}
	}
	err := thread.Spare(func() error {
		if err := unix.Unshare(unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS); err != nil {
			return err
		}
		if err := namespace.OwnMounts(); err != nil {
			return err
		}
		argv := contained([]string{"true"}, owner{uid: overflow, gid: overflow, change: true})
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("root may not make namespaces here: %w; a container needs CAP_SYS_ADMIN for it (docker run --privileged)", err)
	}
	return nil
}

// Requests of kvm(4): the kernel's include/uapi/linux/kvm.h.
const (
	kvmGetAPIVersion = 0xae00
	kvmCreateVM      = 0xae01
)

// machinesMissing says what keeps instances from virtual machines, the first thing
// that is missing first.
func machinesMissing(device, processor string) error {
	if err := kvmMissing(device); err != nil {
		return err
	}
	if err := extensionsMissing(processor); err != nil {
		return err
	}
	if doctor.Lookup("qemu-system-x86_64") == "" {
		return fmt.Errorf("there is no program qemu-system-x86_64; run: %s", doctor.Install("qemu-system-x86", "qemu-system-x86"))
	}
	return errors.New("this version of Plimsoll does not start virtual machines yet: use bare or container")
}

// kvmMissing has the kernel make a virtual machine, which is gone at once.
func kvmMissing(device string) error {
	kvm, err := os.OpenFile(device, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no %s: enable virtualisation in the firmware, or nested virtualisation where this machine is a virtual one, and load the kernel's module kvm", device)
	}
	if err != nil {
		return fmt.Errorf("open KVM: %w; run plimsoll as root, or add its user to the group kvm", err)
	}
	defer kvm.Close()
	if _, err := unix.IoctlRetInt(int(kvm.Fd()), kvmGetAPIVersion); err != nil {
		return fmt.Errorf("%s is not KVM: %w", device, err)
	}
	vm, err := unix.IoctlRetInt(int(kvm.Fd()), kvmCreateVM)
	if err != nil {
		return fmt.Errorf("%s makes no virtual machine (KVM_CREATE_VM: %w)", device, err)
	}
	return unix.Close(vm)
}

// extensionsMissing refuses a processor that KVM can do no more with than run
// kernels that were changed for it (the module kvm_pvm).
func extensionsMissing(processor string) error {
	text, err := os.ReadFile(processor)
	if err != nil {
		return fmt.Errorf("read what the processor can do: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		name, flags, _ := strings.Cut(line, ":")
		if strings.TrimSpace(name) != "flags" {
			continue
		}
		for flag := range strings.FieldsSeq(flags) {
			if flag == "vmx" || flag == "svm" {
				return nil
			}
		}
	}
	return errors.New("the processor has no virtualisation for guests (neither vmx nor svm in /proc/cpuinfo), so that KVM runs at most kernels changed for that; enable nested virtualisation where this machine is a virtual one")
}
