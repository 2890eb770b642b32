"""manifests.py DEPLOY FARM NATS_CONFIG: checks the manifests in DEPLOY/kubernetes.

Each document matches the schema of its kind in kinds.json. The names, labels and
secrets in them fit together. Each flag of a container is one that FARM, the
program, prints in its help. The users of the NATS servers are those that
NATS_CONFIG, apps/farm/nats_config, prints. Exit 1 if not.
"""
import json
import pathlib
import re
import subprocess
import sys

import jsonschema
import yaml

POOL = "farm"
VALUES = "nats-values.yaml"
# User of the submitters, which are not part of the manifests.
CLIENT = "client"

failures = []


def require(holds, what):
    if not holds:
        failures.append(what)


class Strict(yaml.SafeLoader):
    """Refuses a key that is twice in one mapping."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        if len(keys) != len(set(keys)):
            raise yaml.YAMLError(f"a key is there twice: {keys}{node.start_mark}")
        return super().construct_mapping(node, deep)


def documents_in(path):
    try:
        documents = list(yaml.load_all(path.read_text(), Strict))
    except yaml.YAMLError as why:
        require(False, f"{path.name}: {why}")
        return []
    require(all(isinstance(each, dict) for each in documents),
            f"{path.name}: a document is empty")
    return [each for each in documents if isinstance(each, dict)]


def check_schema(name, document, kind, schemas):
    if kind not in schemas["kinds"]:
        return require(False, f"{name}: no schema for the kind '{kind}'")
    schema = {"$ref": f"#/kinds/{kind}", **schemas}
    for error in jsonschema.Draft7Validator(schema).iter_errors(document):
        place = "/".join(map(str, error.absolute_path))
        require(False, f"{name}: {kind}: {place}: {error.message}")


def flags_of(farm, command):
    text = subprocess.run([farm, command, "--help"], check=True,
                          capture_output=True, text=True).stdout
    return set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", text, re.MULTILINE))


def value_of(args, flag):
    return args[args.index(flag) + 1] if flag in args[:-1] else None


def matches(selector, labels):
    return all(labels.get(key) == value
               for key, value in selector["matchLabels"].items())


def check_flags(name, args, farm):
    if args[0] not in ("front", "agent", "submit"):
        return require(False, f"{name}: no command of farm: {args[0]}")
    known = flags_of(farm, args[0])
    for each in args[1:]:
        if each.startswith("-"):
            require(each.split("=")[0] in known,
                    f"{name}: farm {args[0]} has no {each}")


def check_deployment(deployment, users, servers, farm):
    name = deployment["metadata"]["name"]
    spec = deployment["spec"]
    labels = spec["template"]["metadata"]["labels"]
    pod = spec["template"]["spec"]
    container = pod["containers"][0]
    args = container["args"]
    require(matches(spec["selector"], labels),
            f"{name}: the selector does not match the pods")
    check_flags(name, args, farm)
    used = [args[i + 1] for i, each in enumerate(args) if each == "--server"]
    require(used == servers, f"{name}: the servers are {used}, not {servers}")
    user = value_of(args, "--name")
    require(user in users, f"{name}: the servers have no user '{user}'")
    mounts = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
    secrets = {each["name"]: each["secret"]["secretName"] for each in pod["volumes"]}
    require(mounts.keys() == secrets.keys(),
            f"{name}: mounts {sorted(mounts)} are not the volumes {sorted(secrets)}")
    require(value_of(args, "--certificates") in mounts.values(),
            f"{name}: --certificates is no folder that is mounted")
    require(f"{user}-certificate" in secrets.values(),
            f"{name}: no secret {user}-certificate")
    variables = {each["name"] for each in container.get("env", [])}
    for each in re.findall(r"\$\((\w+)\)", " ".join(args)):
        require(each in variables, f"{name}: no variable {each}")
    limit = container["resources"]["limits"].get("cpu")
    if args[0] == "agent":
        require(value_of(args, "--slots") == limit,
                f"{name}: --slots is not the limit of the CPU, {limit}")


def users_of(accounts):
    return [user for each in accounts.values() for user in each["users"]]


def check_users(values, names, nats_config):
    """They are equal to those of the tested configuration."""
    text = subprocess.run(["sh", nats_config, "certificates", *names[1:], "--", CLIENT],
                          check=True, capture_output=True, text=True).stdout
    expected = yaml.safe_load(text[text.index("accounts:"):])["accounts"]
    accounts = values["config"]["merge"]["accounts"]
    require(len(users_of(expected)) == len(names) + 1,
            f"{nats_config} prints other users")
    for each in expected.keys() | accounts.keys():
        require(accounts.get(each) == expected.get(each),
                f"{VALUES}: not as in nats_config: {each}")
    require("verify_and_map: true" in text, f"{nats_config}: no verify_and_map")


def check_policies(policies, deployments):
    """All pods may reach the servers and DNS, and nothing else."""
    for each in deployments:
        name = each["metadata"]["name"]
        labels = each["spec"]["template"]["metadata"]["labels"]
        own = [each for each in policies
               if matches(each["spec"]["podSelector"], labels)]
        require(len(own) == 1, f"{name}: {len(own)} network policies, not 1")
        for policy in own:
            spec = policy["spec"]
            require(set(spec["policyTypes"]) == {"Ingress", "Egress"}
                    and "ingress" not in spec,
                    f"{name}: the network policy allows connections to the pod")
            ports = sorted({port["port"] for rule in spec.get("egress", [])
                            for port in rule["ports"]})
            require(ports == [53, 4222], f"{name}: may connect to ports {ports}")


def check_whole(documents, values, farm, nats_config):
    def of_kind(kind):
        return [each for each in documents if each["kind"] == kind]

    deployments = of_kind("Deployment")
    named = {each["metadata"]["name"]: each for each in deployments}
    require(sorted(named) == ["agent", "front"],
            f"the deployments are {sorted(named)}")
    if "front" in named:
        front = named["front"]["spec"]
        args = front["template"]["spec"]["containers"][0]["args"]
        require(front.get("replicas") == 2 and "--standby" in args,
                "front: not two replicas, one of which waits")

    users = [each["user"].replace("CN=", "", 1)
             for each in users_of(values["config"]["merge"]["accounts"])]
    servers = [f"tls://nats-{i}.nats-headless:4222"
               for i in range(values["config"]["cluster"]["replicas"])]
    for each in deployments:
        check_deployment(each, users, servers, farm)
    check_users(values, ["front", "agent"], nats_config)
    check_policies(of_kind("NetworkPolicy"), deployments)

    for each in of_kind("HorizontalPodAutoscaler"):
        target = each["spec"]["scaleTargetRef"]["name"]
        require(target == "agent", f"the autoscaler scales '{target}'")
        require(target in named and "replicas" not in named[target]["spec"],
                f"{target}: replicas are set beside the autoscaler")
        require(each["spec"]["minReplicas"] <= each["spec"]["maxReplicas"],
                "the autoscaler has more replicas at least than at most")
    for each in of_kind("PodDisruptionBudget"):
        selected = [name for name, one in named.items() if matches(
            each["spec"]["selector"], one["spec"]["template"]["metadata"]["labels"])]
        require(selected == ["agent"], f"the disruption budget is for {selected}")

    for each in of_kind("Kustomization"):
        namespaces = [one["metadata"]["name"] for one in of_kind("Namespace")]
        require(namespaces == [each["namespace"]],
                f"the namespaces are {namespaces}, not {each['namespace']}")
        images = {one["name"] for one in each["images"]}
        for one in deployments:
            image = one["spec"]["template"]["spec"]["containers"][0]["image"]
            require(image in images, f"kustomization.yaml: no image '{image}'")


def check_files(folder, resources):
    there = {each.name for each in folder.iterdir()}
    expected = set(resources) | {"kustomization.yaml", VALUES}
    require(there == expected, "kustomization.yaml and the folder differ: "
            f"{sorted(there ^ expected)}")


def main(deploy, farm, nats_config):
    folder = pathlib.Path(deploy) / "kubernetes"
    schemas = json.loads(
        (pathlib.Path(__file__).parent / "kinds.json").read_text())
    documents, values = [], {}
    for path in sorted(folder.glob("*.yaml")):
        for each in documents_in(path):
            kind = each.get("kind")
            if path.name == VALUES:
                values, kind = each, "values of the chart nats"
            else:
                documents.append(each)
            check_schema(path.name, each, kind, schemas)
    require(documents and values, f"{folder}: manifests are missing")
    if not failures:
        check_whole(documents, values, farm, nats_config)
        for each in documents:
            if each["kind"] == "Kustomization":
                check_files(folder, each["resources"])
    for each in failures:
        print(each, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
