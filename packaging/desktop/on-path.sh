#!/bin/sh
# In /usr/bin, from the package of the desktop app.
exec "$(dirname "$(readlink -f "$0")")/../../opt/Faultline/resources/bin/faultline" "$@"
