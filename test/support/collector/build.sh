#!/usr/bin/env bash
# Builds the OpenTelemetry Collector from Debian's packages `golang-go` and `golang-opentelemetry-collector-dev` (in Debian
# testing; 0.152.0 when this was written): build.sh FILE. Tests find it by OTELCOL=FILE, or as `otelcol` on the PATH.
set -euo pipefail
out=$(realpath -m "${1:?usage: build.sh FILE}")
sources=${GOCODE:-/usr/share/gocode}
[ -d "$sources/src/go.opentelemetry.io/collector" ] || {
  echo "build.sh: no sources in $sources: apt-get install golang-go golang-opentelemetry-collector-dev" >&2
  exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/src/faultline/otelcol"
cp "$(dirname "$0")/main.go" "$work/src/faultline/otelcol/"
cd "$work/src/faultline/otelcol"
GOPATH="$work:$sources" GO111MODULE=off CGO_ENABLED=0 GOTOOLCHAIN=local go build -o "$out" .
"$out" --version
