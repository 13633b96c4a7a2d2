package main

import (
	"fmt"
	"os"
	"strings"
)

// installer writes the script that installs this version.
func (r release) installer() error {
	script, err := os.ReadFile("install.sh")
	if err != nil {
		return err
	}
	return os.WriteFile(r.file("install.sh"), []byte(strings.ReplaceAll(string(script), "@VERSION@", r.version)), 0o755)
}

// formula writes the formula for Homebrew.
func (r release) formula(sums map[string]string) error {
	block := func(system, processor, name string) string {
		archive := "relay_" + r.version + "_" + name + ".tar.gz"
		return fmt.Sprintf(`  on_%s do
    on_%s do
      url "https://github.com/relay-chat/relay/releases/download/v%s/%s"
      sha256 %q
    end
  end

`, system, processor, r.version, archive, sums[archive])
	}
	text := `class Relay < Formula
  desc "Live chat for websites in one program"
  homepage "https://github.com/relay-chat/relay"
  version "` + r.version + `"
  license "MIT"

` + block("macos", "arm", "darwin_arm64") + block("macos", "intel", "darwin_amd64") + block("linux", "arm", "linux_arm64") + block("linux", "intel", "linux_amd64") +
		`  def install
    bin.install "relay"
    (etc/"relay").install "relay.example.env" => "relay.env"
  end

  service do
    run [opt_bin/"relay", "serve", "--env-file", etc/"relay/relay.env"]
    working_dir var/"relay"
    keep_alive true
    log_path var/"log/relay.log"
    error_log_path var/"log/relay.log"
  end

  def post_install
    (var/"relay").mkpath
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/relay version")
  end
end
`
	return os.WriteFile(r.file("relay.rb"), []byte(text), 0o644)
}
