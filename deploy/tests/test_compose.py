"""compose.yaml: the schema of compose files, and what scripts/cluster makes of it."""
import importlib.machinery
import importlib.util
import json
import re
import site
from pathlib import Path

import jsonschema
import pytest
import yaml

TOP = Path(__file__).resolve().parents[2]


def schema():
    """Carried by the last compose that was written in Python; the newer ones only add to it."""
    [file] = [place for folder in site.getsitepackages()
              for place in Path(folder).glob("compose/config/compose_spec.json")]
    return json.loads(file.read_text())


def cluster():
    loader = importlib.machinery.SourceFileLoader("cluster", str(TOP / "scripts/cluster"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("cluster", loader))
    loader.exec_module(module)
    return module


def check(file):
    jsonschema.Draft201909Validator(schema()).validate(file)


def whole():
    return yaml.safe_load((TOP / "compose.yaml").read_text())


def test_the_compose_file_fits_the_schema_of_compose_files():
    check(whole())


def test_a_wrong_compose_file_does_not_fit():
    wrong = whole()
    wrong["services"]["ocr"]["restarts"] = "always"
    with pytest.raises(jsonschema.ValidationError):
        check(wrong)


def test_broker_database_gateway_back_office_components_and_monitor_are_services():
    services = whole()["services"]
    assert set(services) == {
        "rabbitmq", "postgres", "migrate", "api-gateway", "backoffice", "workflow-router",
        "splitter", "ocr", "classifier", "classification-aggregator", "extractor",
        "extraction-aggregator", "consolidator", "sla-monitor"}
    for name, service in services.items():
        assert service["restart"] == ("no" if name == "migrate" else "unless-stopped"), name
        assert "healthcheck" in service, name
    volumes = {text.split(":")[0] for one in services.values() for text in one["volumes"]}
    assert volumes == set(whole()["volumes"])


def test_components_have_one_image_and_differ_in_their_name():
    for name, service in whole()["services"].items():
        if name in ("rabbitmq", "postgres", "migrate"):
            continue
        assert service["image"] == "${TURNO_IMAGE:-turno:latest}"
        assert service["environment"]["DOCPROC_COMPONENT_NAME"].replace("_", "-") == name
        assert service["read_only"] and service["cap_drop"] == ["ALL"]


def test_only_doors_are_published_and_on_this_machine_alone():
    doors = {name: service["ports"] for name, service in whole()["services"].items()
             if "ports" in service}
    assert set(doors) == {"api-gateway", "backoffice", "rabbitmq", "postgres"}
    assert all(text.startswith("127.0.0.1:") for ports in doors.values() for text in ports)


def test_every_variable_is_in_the_example_and_none_is_there_for_nothing():
    wanted = set(re.findall(r"(?<!\$)\$\{(\w+)", (TOP / "compose.yaml").read_text()))
    told = set(re.findall(r"^#? ?([A-Z_]+)=", (TOP / ".env.example").read_text(), re.M))
    of_docproc = {name for name in told if name.startswith("DOCPROC_")}
    assert wanted == told - of_docproc
    assert {"DOCPROC_COMPONENT_NAME", "DOCPROC_STORAGE_PATH"} <= of_docproc


def test_the_cluster_starts_what_the_compose_file_names():
    found = cluster().components()
    assert len(found) == 11
    assert found["ocr"]["DOCPROC_COMPONENT_NAME"] == "ocr"
    assert found["backoffice"]["DOCPROC_BACKOFFICE_PORT"] == "8001"


@pytest.mark.parametrize(("text", "told"), [
    ("a ${X:-b} c", "a b c"), ("${Y:-b}", "y"), ("${X}", ""), ("$${Y}", "${Y}"), ("$$?", "$?"),
    ("${X:?say it}", ""), ("amqp://${Y}:${X:-p:q}@h", "amqp://y:p:q@h"),
])
def test_variables_are_filled_in_as_compose_does(text, told):
    assert cluster().interpolated(text, {"Y": "y"}) == told
