#!/bin/sh
# manifests.sh DEPLOY FARM NATS_CONFIG: runs manifests.py. If there is a kubectl, it
# accepts the kustomization. Exit 77 if there is no Python for it.
set -eu
here=$(dirname "$0")

# Debian's Python has Debian's packages, and need not be the first one in PATH.
python=''
for each in /usr/bin/python3 python3; do
  "$each" -c 'import jsonschema, yaml' 2>/dev/null || continue
  python=$each
  break
done
[ -n "$python" ] || {
  echo 'manifests: skipped, there is no python3 with yaml and jsonschema'
  exit 77
}

"$python" "$here/manifests.py" "$@"
if command -v kubectl >/dev/null; then
  kubectl kustomize "$1/kubernetes" >/dev/null || exit 1
else
  echo 'manifests: kustomization.yaml is not rendered, there is no kubectl'
fi
