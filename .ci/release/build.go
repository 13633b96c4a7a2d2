package main

import (
	"os"
	"os/exec"
)

// target is a kind of machine.
type target struct{ name, system, processor, arm string }

var targets = []target{
	{"linux_amd64", "linux", "amd64", ""},
	{"linux_arm64", "linux", "arm64", ""},
	{"linux_armv7", "linux", "arm", "7"},
	{"darwin_arm64", "darwin", "arm64", ""},
	{"darwin_amd64", "darwin", "amd64", ""},
	{"windows_amd64", "windows", "amd64", ""},
}

// program is the name of the program's file.
func (t target) program() string {
	if t.system == "windows" {
		return "relay.exe"
	}
	return "relay"
}

// build builds the program. Neither the folder, nor the state of the repository, nor
// the builder's settings leave a trace in it.
func (r release) build(t target, program string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid= -X main.version=v"+r.version, "-o", program, ".")
	cmd.Dir, cmd.Stderr = r.source, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.system, "GOARCH="+t.processor, "GOARM="+t.arm,
		"GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off")
	return cmd.Run()
}
