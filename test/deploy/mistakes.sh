#!/bin/sh
# mistakes.sh CHECK DEPLOY FARM NATS_CONFIG: makes one mistake at a time in a copy of
# DEPLOY. CHECK, "units" or "manifests", must fail each time, and only then. Exit 77
# if CHECK cannot run.
set -eu
check=$1 deploy=$2 farm=$3 nats_config=$4
PATH=$PATH:/usr/sbin # where Debian has servers
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

run() { sh "$here/$check.sh" "$scratch/deploy" "$farm" "$nats_config"; }

renew() {
  rm -rf "$scratch/deploy"
  cp -r "$deploy" "$scratch/deploy"
}

# mistake FILE SCRIPT: what sed makes of the file is wrong.
mistake() {
  renew
  sed -i "$2" "$scratch/deploy/$1"
  status=0
  if cmp -s "$deploy/$1" "$scratch/deploy/$1"; then
    echo "$1: changes nothing: $2" >&2
    failures=1
    return
  fi
  run >"$scratch/out" 2>&1 || status=$?
  [ $status -eq 1 ] || {
    echo "$1: status $status, not 1, after: $2" >&2
    cat "$scratch/out" >&2
    failures=1
  }
}

renew
status=0
run || status=$?
[ $status -eq 0 ] || exit $status

case $check in
  units)
    front=systemd/libpool-front.service agent=systemd/libpool-agent@.service
    mistake $front 's/^ProtectHome=/ProtectHoem=/'
    mistake $front 's/^Restart=.*/Restart=on-failures/'
    mistake $front 's/^SystemCallFilter=.*//; s/^Capab.*//; s/^Protect.*//'
    mistake $front 's/--name front/--nane front/'
    # shellcheck disable=SC2016 # a variable of systemd
    mistake $front 's/ \$LIBPOOL_SERVERS//'
    mistake $agent 's,^ExecStart=,ExecStart=/nowhere,'
    mistake $agent 's/--certificates/--certificate/'
    mistake $agent 's/^TimeoutStopSec=.*/TimeoutStopSec=soon/'
    mistake systemd/libpool.env 's/--slots/--slot/'
    mistake systemd/libpool.env 's/^LIBPOOL_FRONT/LIBPOOL_FONT/'
    if command -v nats-server >/dev/null; then
      mistake systemd/nats-cluster.conf 's/lame_duck_duration: .*/lame_duck_duration: "x"/'
      mistake systemd/nats-cluster.conf 's/verify_cert_and.*/verify: true/'
      mistake systemd/nats-cluster.conf 's/^  tls {/  tsl {/'
    fi
    if [ -e /lib/systemd/system/nats-server.service ]; then
      dropins=systemd/nats-server.service.d
      mistake $dropins/libpool.conf 's/^ProtectProc=.*/ProtectProc=unseen/'
      mistake $dropins/libpool.conf 's/^ExecStart=$//'
      mistake $dropins/cluster.conf 's/^KillSignal=.*/KillSignal=SIGUSR3/'
    fi
    ;;
  manifests)
    front=kubernetes/front.yaml agent=kubernetes/agent.yaml
    values=kubernetes/nats-values.yaml
    mistake $front 's/replicas: 2/replicas: 1/'
    mistake $front 's/type: RollingUpdate/type: RollingUpdat/'
    mistake $front 's/replicas: 2/replica: 2/'
    mistake $front 's/- --standby/- --lease/'
    mistake $front 's/- --name/- --nane/'
    mistake $front 's/- front$/- fronts/'
    mistake $front 's/nats-2[.]/nats-3./'
    mistake $front 's/  *- ALL//'
    mistake $front 's/secretName: .*/secretName: agent-certificate/'
    mistake $front 's/image: .*/image: other/'
    mistake $front 's/runAsNonRoot: true/runAsNonRoot: false/'
    mistake $front 's/matchLabels:/matchLabel:/'
    mistake $agent 's/^kind: Deployment/kind: StatefulSet/'
    mistake $agent 's/^spec:/spec:\n  replicas: 3/'
    mistake $agent 's/- --slots/- --slot/'
    mistake $agent 's/- "2"/- "4"/'
    mistake $agent 's/name: POD_NAME/name: NAME/'
    mistake $agent 's,^\( *mountPath: \).*,\1/elsewhere,'
    mistake $agent 's/^metadata:/metadata:\n  name: other/'
    mistake $agent 's/^metadata:/metadata: {/'
    mistake kubernetes/agent-autoscaler.yaml 's/name: agent/name: agents/'
    mistake kubernetes/agent-autoscaler.yaml 's/v2/v2beta2/'
    mistake kubernetes/agent-autoscaler.yaml 's/maxReplicas: 10/maxReplicas: 1/'
    mistake kubernetes/agent-disruption.yaml 's/name: agent/name: front/'
    mistake kubernetes/network-policies.yaml 's/port: 4222/port: 4223/'
    mistake kubernetes/network-policies.yaml 's/- Egress//'
    mistake kubernetes/namespace.yaml 's/name: libpool/name: pool/'
    mistake kubernetes/kustomization.yaml 's/  - agent[.]yaml//'
    mistake $values 's/farm[.]front[.]agent/farm.front.*/'
    mistake $values 's/farm[.]client[.]>/farm.>/'
    mistake $values 's/CN=client/client/'
    mistake $values 's/service: "libpool[.]farm[.]work.*/service: "libpool.farm.>"/'
    mistake $values 's/jetstream: enabled//'
    mistake $values 's/replicas: 3/replicas: 2/'
    mistake $values 's/verify_and_map: true/verify_and_map: false/'
    mistake $values 's/verify_cert_and.*: true/verify: true/'
    mistake $values 's/tlsCA/tlsCa/'
    ;;
esac
exit $failures
