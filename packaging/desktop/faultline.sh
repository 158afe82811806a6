#!/bin/sh
# The command line beside the desktop app, on a Node of its own: Electron is not run as Node (docs/decisions/desktop-command.md).
resources=$(dirname "$(readlink -f "$0")")/..
# Native packages lie once, beside the app's archive.
NODE_PATH="$resources/app.asar.unpacked/node_modules" exec "$resources/command/node" "$resources/command/out/main/cli.js" "$@"
