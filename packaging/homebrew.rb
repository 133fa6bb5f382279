# Homebrew on Linux: packaging/build fills in what stands between @.
class Plimsoll < Formula
  desc "Finds the load line of storage under stateful applications"
  homepage "@URL@"
  version "@VERSION@"
  license "Apache-2.0"

  depends_on :linux

  on_intel do
    url "@URL@/plimsoll-@VERSION@-linux-amd64.tar.gz"
    sha256 "@SHA256_AMD64@"
  end
  on_arm do
    url "@URL@/plimsoll-@VERSION@-linux-arm64.tar.gz"
    sha256 "@SHA256_ARM64@"
  end

  def install
    bin.install "plimsoll"
    man1.install Dir["man/*.1.gz"]
    bash_completion.install "completion/plimsoll.bash" => "plimsoll"
    zsh_completion.install "completion/_plimsoll"
    fish_completion.install "completion/plimsoll.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/plimsoll version")
  end
end
