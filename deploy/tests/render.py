"""Overlays as kustomize renders them: as much of it as the manifests here use."""
import copy
import re

import yaml


def render(folder):
    """Every object of a kustomization, by (kind, name)."""
    plan = yaml.safe_load((folder / "kustomization.yaml").read_text())
    unknown = set(plan) - {"apiVersion", "kind", "namespace", "resources", "images", "replicas",
                           "configMapGenerator", "labels", "patches"}
    assert not unknown, f"{folder}: this test does not render {unknown}"
    objects = {}
    for name in plan["resources"]:
        path = (folder / name).resolve()
        found = render(path).values() if path.is_dir() else yaml.safe_load_all(path.read_text())
        for one in found:
            objects[one["kind"], one["metadata"]["name"]] = copy.deepcopy(one)
    for generator in plan.get("configMapGenerator", []):
        generate(objects, generator)
    for one in objects.values():
        place(one, plan)
    for patch in plan.get("patches", []):
        for one in objects.values():
            if targets(patch["target"], one):
                for change in yaml.safe_load(patch["patch"]):
                    apply(one, change)
    return objects


def generate(objects, generator):
    data = dict(literal.split("=", 1) for literal in generator["literals"])
    key = "ConfigMap", generator["name"]
    if generator.get("behavior") == "merge":
        objects[key]["data"].update(data)
    else:
        objects[key] = {"apiVersion": "v1", "kind": "ConfigMap", "data": data,
                        "metadata": {"name": generator["name"]}}


def place(one, plan):
    meta = one["metadata"]
    if one["kind"] != "Namespace" and "namespace" in plan:
        meta["namespace"] = plan["namespace"]
    for labels in plan.get("labels", []):
        meta["labels"] = {**meta.get("labels", {}), **labels["pairs"]}
    for image in plan.get("images", []):
        for container in containers(one):
            if container["image"].split(":")[0] == image["name"]:
                container["image"] = f"{image['name']}:{image['newTag']}"
    for count in plan.get("replicas", []):
        if one["kind"] in ("Deployment", "StatefulSet") and meta["name"] == count["name"]:
            one["spec"]["replicas"] = count["count"]


def containers(one):
    pod = one.get("spec", {}).get("template", {}).get("spec", {})
    return pod.get("containers", [])


def targets(target, one):
    name = target.get("name", ".*")
    return one["kind"] == target["kind"] and re.fullmatch(name, one["metadata"]["name"])


def apply(one, change):
    """One step of a JSON patch; a replacement of what is not there is an error."""
    *path, last = change["path"].strip("/").split("/")
    for step in path:
        one = one[int(step)] if isinstance(one, list) else one[step]
    if change["op"] == "remove":
        del one[last]
    else:
        assert change["op"] == "add" or last in one, change
        one[last] = change["value"]
