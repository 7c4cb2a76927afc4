"""The manifests of deploy/k8s: what they render to, the schemas of Kubernetes, and our own rules."""
import re
import shutil
import subprocess
from pathlib import Path

import kubernetes_validate
import pytest
import yaml
from render import containers, render

TOP = Path(__file__).resolve().parents[2]
K8S = TOP / "deploy/k8s"
PLACES = ["base", "overlays/dev", "overlays/prod"]
# The first must know them, the last must not have dropped them.
VERSIONS = ["1.29", kubernetes_validate.latest_version()]


def objects(place):
    return render(K8S / place)


def of_kind(place, *kinds):
    return {name: one for (kind, name), one in objects(place).items() if kind in kinds}


def components(place):
    def component(one):
        return {entry["name"]: entry for entry in containers(one)[0]["env"]}.get(
            "DOCPROC_COMPONENT_NAME", {}).get("value")
    return {name: component(one) for name, one in of_kind(place, "Deployment").items()}


@pytest.mark.parametrize(("place", "version"), [
    ("overlays/prod", VERSIONS[0]), ("overlays/prod", VERSIONS[1]), ("overlays/dev", VERSIONS[1])])
def test_the_manifests_fit_the_schemas_of_kubernetes(place, version):
    found = objects(place)
    assert len(found) > 20
    for one in found.values():
        kubernetes_validate.validate(one, version, strict=True)


def test_a_wrong_manifest_does_not_fit():
    one = objects("base")["Deployment", "ocr"]
    one["spec"]["template"]["spec"]["containers"][0]["readinesProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(one, VERSIONS[-1], strict=True)


@pytest.mark.parametrize("place", PLACES)
def test_every_service_of_the_compose_file_has_a_deployment(place):
    services = yaml.safe_load((TOP / "compose.yaml").read_text())["services"].values()
    named = {one["environment"]["DOCPROC_COMPONENT_NAME"] for one in services
             if "DOCPROC_COMPONENT_NAME" in one.get("environment", {})}
    assert len(named) == 11
    assert set(components(place).values()) == named
    assert set(of_kind(place, "StatefulSet")) == {"postgres", "rabbitmq"}


@pytest.mark.parametrize("place", PLACES)
def test_no_process_may_more_than_it_needs(place):
    for name, one in of_kind(place, "Deployment", "StatefulSet").items():
        pod = one["spec"]["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"], name
        assert pod["securityContext"]["runAsUser"] > 0, name
        assert pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault", name
        assert pod["automountServiceAccountToken"] is False, name
        for container in pod["containers"]:
            own = container["securityContext"]
            assert own["allowPrivilegeEscalation"] is False, name
            assert own["capabilities"] == {"drop": ["ALL"]}, name
            assert name == "rabbitmq" or own["readOnlyRootFilesystem"], name
            assert {"livenessProbe", "readinessProbe"} <= set(container), name


def test_components_differ_in_what_they_are_and_in_nothing_else():
    def told(one):
        text = yaml.safe_dump(one["spec"])
        name = one["metadata"]["name"]
        component = components("base")[name]
        return re.sub(rf"\b({name}|{component})\b", "*", text)
    doors = {"gateway", "backoffice"}
    found = {name: told(one) for name, one in of_kind("base", "Deployment").items()
             if name not in doors}
    assert len(set(found.values())) == 1, sorted(found)


@pytest.mark.parametrize("place", PLACES)
def test_what_is_named_exists(place):
    found = objects(place)
    labels = [one["spec"]["template"]["metadata"]["labels"]
              for one in of_kind(place, "Deployment", "StatefulSet").values()]

    def chosen(selector):
        wanted = selector.get("matchLabels", {}).items()
        inside = selector.get("matchExpressions", [])
        return [one for one in labels if wanted <= one.items()
                and all(one.get(term["key"]) in term["values"] for term in inside)]

    for one in found.values():
        spec = one.get("spec", {})
        if one["kind"] == "Service":
            assert chosen({"matchLabels": spec["selector"]}), one["metadata"]
        elif one["kind"] == "HorizontalPodAutoscaler":
            assert ("Deployment", spec["scaleTargetRef"]["name"]) in found
        elif one["kind"] == "PodDisruptionBudget":
            assert len(chosen(spec["selector"])) == 1, one["metadata"]
        elif one["kind"] == "NetworkPolicy":
            assert chosen(spec["podSelector"]), one["metadata"]
        elif one["kind"] == "Ingress":
            for rule in spec["rules"]:
                service = rule["http"]["paths"][0]["backend"]["service"]
                ports = found["Service", service["name"]]["spec"]["ports"]
                assert service["port"]["name"] in [port["name"] for port in ports]
    text = (K8S / "README.md").read_text()
    secrets = set(re.findall(r"secret(?:Ref|KeyRef|Name)?: ?\{?(?:name: )?(turno-\w+)",
                             "\n".join(map(yaml.safe_dump, found.values()))))
    for name in secrets | {"turno-database", "turno-broker", "turno-keys"}:
        assert f"create secret generic {name}" in text, f"{name} is made by nobody"


def test_readers_are_as_many_as_their_queue_asks_for():
    scaled = of_kind("overlays/prod", "HorizontalPodAutoscaler")
    assert set(scaled) == {"ocr", "classifier", "extractor"}
    for name, one in scaled.items():
        spec = one["spec"]
        assert (spec["minReplicas"], spec["maxReplicas"]) == (2, 10)
        metric = spec["metrics"][0]["external"]
        assert metric["metric"]["name"] == "rabbitmq_queue_messages_ready"
        assert metric["metric"]["selector"]["matchLabels"] == {"queue": f"q.{name}"}
        assert metric["target"] == {"type": "AverageValue", "averageValue": "5"}
        deployment = objects("overlays/prod")["Deployment", name]
        assert "replicas" not in deployment["spec"], "the autoscaler owns the number"


def test_the_first_stages_are_there_before_anybody_comes():
    found = of_kind("overlays/prod", "Deployment")
    for name in ("gateway", "workflow-router", "splitter"):
        assert found[name]["spec"]["replicas"] >= 2
    for name in ("gateway", "workflow-router", "splitter", "ocr", "classifier", "extractor"):
        assert ("PodDisruptionBudget", name) in objects("overlays/prod")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.skipif(not shutil.which("kubectl"), reason="no kubectl to compare with")
def test_kubectl_renders_the_same(place):
    done = subprocess.run(["kubectl", "kustomize", K8S / place], capture_output=True, text=True,
                          check=True)
    # Generated names end in a hash of what they hold.
    plain = re.sub(r"\bturno-[a-z0-9]{10}\b", "turno", done.stdout)
    theirs = {(one["kind"], one["metadata"]["name"]): one for one in yaml.safe_load_all(plain)}
    assert theirs == objects(place)
