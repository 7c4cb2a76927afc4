"""Components for DocProc in Python: one file, standard library only (`pika` for AMQP).

A component is a class with `component_name`, optionally `setup()`, and `process_message()`:

    from turno_components import BaseComponent, PipelineMessage

    class MiComponente(BaseComponent):
        component_name = "mi_componente"

        async def process_message(self, message, session):
            payload = {**message.payload, "nuevo_dato": "valor"}
            return [("__next__", message.model_copy(update={"payload": payload}))]

It runs with `python -m turno_components mi_modulo:MiComponente --url http://127.0.0.1:8000
--token ...`, or with `--amqp amqp://guest:guest@127.0.0.1:5672/`.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import logging
import os
import random
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timezone

__all__ = ["AsyncSession", "BaseComponent", "PipelineMessage", "Session", "main"]

log = logging.getLogger("turno")

FIELDS = (
    "request_id",
    "trace_id",
    "workflow_name",
    "current_stage",
    "source_component",
    "payload",
    "page_index",
    "document_id",
    "deadline_utc",
)


class PipelineMessage:
    """What travels between stages: nine fields, and the number of the message."""

    def __init__(self, **fields):
        self.metadata = fields.pop("metadata", None)
        for name in FIELDS:
            setattr(self, name, fields.pop(name, None))
        if fields:
            raise TypeError(f"a PipelineMessage has no field {', '.join(sorted(fields))}")
        self.payload = dict(self.payload or {})
        if isinstance(self.deadline_utc, str):
            self.deadline_utc = _instant(self.deadline_utc)

    def model_copy(self, *, update=None, deep=False):
        """A copy with other values in some fields."""
        values = {name: getattr(self, name) for name in FIELDS}
        values["payload"] = dict(self.payload)
        if deep:
            values["payload"] = json.loads(json.dumps(self.payload, default=_plain))
        unknown = set(update or {}) - {*FIELDS, "metadata"}
        if unknown:
            raise TypeError(f"a PipelineMessage has no field {', '.join(sorted(unknown))}")
        return PipelineMessage(**{"metadata": self.metadata, **values, **(update or {})})

    def model_dump(self, *, mode="python"):
        """The fields as a dictionary; with mode="json" only values that JSON knows."""
        values = {name: getattr(self, name) for name in FIELDS}
        if self.metadata is not None:
            values["metadata"] = self.metadata
        return json.loads(json.dumps(values, default=_plain)) if mode == "json" else values

    def model_dump_json(self):
        return json.dumps(self.model_dump(), default=_plain)

    @classmethod
    def model_validate(cls, values):
        known = {name: value for name, value in values.items() if name in {*FIELDS, "metadata"}}
        return cls(**known)

    def __eq__(self, other):
        return isinstance(other, PipelineMessage) and self.model_dump() == other.model_dump()

    def __repr__(self):
        return f"PipelineMessage({self.current_stage!r}, request_id={self.request_id!r})"


class Session:
    """What `process_message` is given in place of a database session. State is kept by the server:
    a component says what it found in the messages it returns."""

    def __init__(self, component):
        self.component = component

    async def commit(self):
        """Nothing: results are committed by the server, all at once."""

    async def rollback(self):
        """Nothing: a component that fails leaves nothing behind."""

    async def flush(self):
        """Nothing."""

    def __getattr__(self, name):
        raise AttributeError(
            f"session.{name}: components here have no database; "
            "what they work on is in message.payload"
        )


# The name by which components written for the original know it.
AsyncSession = Session


class BaseComponent:
    """What a component inherits from."""

    component_name = ""

    async def setup(self):
        """Loads models, opens connections."""

    async def process_message(self, message, session):
        raise NotImplementedError

    async def fetch(self, url):
        """The bytes behind an `image_url` or `file_url` of a payload."""
        return await asyncio.to_thread(_download, url)


def _download(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.read()


def _instant(text):
    whole, _, rest = text.rstrip("Z").partition(".")
    fraction = f".{rest[:6].ljust(6, '0')}" if rest else ""
    return datetime.fromisoformat(whole + fraction).replace(tzinfo=timezone.utc)


def _plain(value):
    if isinstance(value, datetime):
        return value.isoformat()
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    return str(value)


async def _perform(component, message):
    """Runs one message; the list that goes back, as JSON knows it."""
    replies = await component.process_message(message, Session(component))
    listed = []
    for to, reply in replies or []:
        said = reply.model_dump(mode="json") if hasattr(reply, "model_dump") else dict(reply)
        # Which message this answers, also when the component made a new one.
        said["metadata"] = message.metadata
        listed.append([to, said])
    return listed


class Refused(Exception):
    """The server understood and said no: trying the same again is no use."""


class Pull:
    """Fetches messages by HTTP."""

    def __init__(self, component, url, token, worker, limit):
        self.component = component
        self.base = f"{url.rstrip('/')}/api/docproc/work/{component.component_name}"
        self.token = token
        self.worker = worker
        self.limit = limit
        self.stopping = asyncio.Event()

    def _post(self, what, body, timeout):
        request = urllib.request.Request(
            f"{self.base}/{what}",
            data=json.dumps(body).encode(),
            headers={"content-type": "application/json", "accept-language": "en"},
            method="POST",
        )
        if self.token:
            request.add_header("authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return json.loads(answer.read() or b"{}")
        except urllib.error.HTTPError as error:
            said = error.read().decode(errors="replace")
            try:
                said = json.loads(said).get("detail", said)
            except (ValueError, AttributeError):
                pass
            if error.code in (401, 403, 404, 409, 413, 422):
                raise Refused(f"{error.code}: {said}") from None
            raise ConnectionError(f"{error.code}: {said}") from None

    async def post(self, what, body, timeout=30):
        return await asyncio.to_thread(self._post, what, body, timeout)

    async def run(self):
        wait = 30
        query = f"take?limit={self.limit}&wait={wait}&worker={urllib.parse.quote(self.worker)}"
        pause = Pause()
        while not self.stopping.is_set():
            taking = asyncio.ensure_future(self.post(query, {}, timeout=wait + 15))
            stopped = asyncio.ensure_future(self.stopping.wait())
            await asyncio.wait({taking, stopped}, return_when=asyncio.FIRST_COMPLETED)
            stopped.cancel()
            if not taking.done():
                # What the server lends while we leave comes back to it when its time is over.
                taking.cancel()
                return
            try:
                items = taking.result()["items"]
            except Refused:
                raise
            except Exception as error:
                log.warning("the server is away, trying again: %s", error)
                await pause.wait(self.stopping)
                continue
            pause.reset()
            await asyncio.gather(*(self.work(item) for item in items))

    async def work(self, item):
        held = {"message_id": item["message_id"], "attempt": item["attempt"]}
        message = PipelineMessage.model_validate(item["message"])
        extending = asyncio.ensure_future(self.extend(held, item["lease_until"]))
        try:
            replies = await _perform(self.component, message)
            what, body = "done", {**held, "replies": replies}
        except Exception as error:
            log.exception("message %s failed", item["message_id"])
            what, body = "failed", {**held, "error": f"{type(error).__name__}: {error}"}
        finally:
            extending.cancel()
        await self.bring(what, body)

    async def bring(self, what, body):
        pause = Pause()
        while True:
            try:
                await self.post(what, body)
                return
            except Refused as error:
                log.warning("message %s: %s", body["message_id"], error)
                return
            except Exception as error:
                log.warning("the server is away, bringing it again: %s", error)
                await pause.wait(None)

    async def extend(self, held, until):
        """Asks for more time while the component works, at half of what is left."""
        while True:
            left = (_instant(until) - datetime.now(timezone.utc)).total_seconds()
            await asyncio.sleep(max(left / 2, 0.5))
            try:
                until = (await self.post("extend", held))["lease_until"]
            except Refused as error:
                log.warning("message %s: %s", held["message_id"], error)
                return
            except Exception as error:
                log.warning("no more time yet: %s", error)


class Pause:
    """Waits longer each time, up to fifteen seconds."""

    def __init__(self):
        self.seconds = 0.5

    def reset(self):
        self.seconds = 0.5

    async def wait(self, stopping):
        seconds = self.seconds * random.uniform(0.5, 1)
        self.seconds = min(self.seconds * 2, 15)
        if stopping is None:
            await asyncio.sleep(seconds)
            return
        try:
            await asyncio.wait_for(stopping.wait(), seconds)
        except asyncio.TimeoutError:
            pass


class Amqp:
    """Consumes `q.<component>` and publishes results to `doc.direct`, key `stage.result`."""

    def __init__(self, component, url, prefetch):
        self.component = component
        self.url = url
        self.prefetch = prefetch
        self.stopping = asyncio.Event()

    async def run(self):
        import pika  # Only those who use a broker need it.

        loop = asyncio.get_running_loop()
        pause = Pause()
        while not self.stopping.is_set():
            began = time.monotonic()
            try:
                await asyncio.to_thread(self._consume, pika, loop)
            except Exception as error:
                log.warning("the broker is away, trying again: %s", error)
            if time.monotonic() - began > 30:
                pause.reset()
            if not self.stopping.is_set():
                await pause.wait(self.stopping)

    def _consume(self, pika, loop):
        connection = pika.BlockingConnection(pika.URLParameters(self.url))
        try:
            channel = connection.channel()
            channel.confirm_delivery()
            channel.basic_qos(prefetch_count=self.prefetch)
            queue = f"q.{self.component.component_name}"
            for method, properties, body in channel.consume(queue, inactivity_timeout=0.5):
                if self.stopping.is_set():
                    break
                if method is None:
                    continue
                done = self._answer(loop, connection, body)
                channel.basic_publish(
                    "doc.direct",
                    "stage.result",
                    json.dumps(done).encode(),
                    pika.BasicProperties(
                        content_type="application/json",
                        delivery_mode=2,
                        message_id=properties.message_id,
                        headers={"component": self.component.component_name},
                    ),
                    mandatory=True,
                )
                # Only now: killed before it, the broker gives the message to somebody else.
                channel.basic_ack(method.delivery_tag)
            channel.cancel()
        finally:
            if connection.is_open:
                connection.close()

    def _answer(self, loop, connection, body):
        """The result of one message; the connection is kept alive meanwhile."""
        message = PipelineMessage.model_validate(json.loads(body))
        working = asyncio.run_coroutine_threadsafe(_perform(self.component, message), loop)
        finished = threading.Event()
        working.add_done_callback(lambda _: finished.set())
        while not finished.wait(0.05):
            connection.process_data_events(time_limit=0)
        try:
            return working.result() or [["__next__", message.model_dump(mode="json")]]
        except Exception as error:
            log.exception("message %s failed", message.metadata)
            said = message.model_dump(mode="json")
            return {**said, "payload": {}, "error": f"{type(error).__name__}: {error}"}


def _load(path):
    module, _, name = path.partition(":")
    if not name:
        raise SystemExit(f"{path!r} is not MODULE:CLASS")
    sys.path.insert(0, os.getcwd())
    component = getattr(importlib.import_module(module), name)()
    if not component.component_name:
        raise SystemExit(f"{path}: component_name is missing")
    return component


async def _run(component, transport):
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        # What is under way is finished and brought; nothing more is taken.
        loop.add_signal_handler(name, transport.stopping.set)
    await component.setup()
    log.info("component %s is ready", component.component_name)
    await transport.run()


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="turno_components", description="Runs a component.")
    parser.add_argument("component", help="MODULE:CLASS")
    parser.add_argument("--url", help="where DocProc is: messages are fetched by HTTP")
    parser.add_argument("--token", default=os.environ.get("TURNO_TOKEN", ""),
                        help="of role docproc:COMPONENTE; also TURNO_TOKEN")
    parser.add_argument("--amqp", help="where RabbitMQ is: messages come by AMQP")
    parser.add_argument("--limit", type=int, default=1, help="messages at a time")
    parser.add_argument("--worker", default=f"{socket.gethostname()}-{os.getpid()}")
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    if bool(given.url) == bool(given.amqp):
        parser.error("one of --url and --amqp is needed")
    component = _load(given.component)

    async def start():
        if given.url:
            transport = Pull(component, given.url, given.token, given.worker, given.limit)
        else:
            transport = Amqp(component, given.amqp, given.limit)
        await _run(component, transport)

    try:
        asyncio.run(start())
    except Refused as error:
        raise SystemExit(f"turno_components: {error}") from None


if __name__ == "__main__":
    # The class inherits from the module it imports, which must be this one.
    sys.modules.setdefault("turno_components", sys.modules["__main__"])
    main()
