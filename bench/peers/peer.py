"""DocProc's graph in Celery with tasks that do nothing: route, split, read and classify each page, group
them, extract each document, join, consolidate. PEER_BROKER and PEER_RESULTS say where RabbitMQ and Redis
are. As a program it sends requests and prints one line of JSON that says how long they took."""

import json
import os
import sys
import time

from celery import Celery, chord

app = Celery("peer", broker=os.environ["PEER_BROKER"], backend=os.environ["PEER_RESULTS"])
app.conf.update(
    # As ours: messages survive the broker, and are acknowledged when their work is done.
    task_default_delivery_mode="persistent",
    broker_transport_options={"confirm_publish": True},
    task_acks_late=True,
    broker_connection_retry_on_startup=True,
)


@app.task
def begin(request, pages):
    return pages


@app.task
def split(pages):
    return pages


@app.task
def read(page):
    return page


@app.task
def classify(page):
    return page


@app.task
def group(pages):
    return pages


@app.task
def extract(document):
    return document


@app.task
def join(documents):
    return documents


@app.task
def consolidate(documents):
    return len(documents)


def graph(request, pages):
    reading = chord([read.si(n) | classify.s() for n in range(pages)], group.s())
    extraction = chord([extract.si(n) for n in range(pages)], join.s())
    return begin.si(request, pages) | split.s() | reading | extraction | consolidate.s()


def main(requests, singles):
    graph(0, 1).apply_async().get(timeout=60)
    sizes = [3 + n % 3 for n in range(requests)]
    began = time.monotonic()
    sent = [graph(n, pages).apply_async() for n, pages in enumerate(sizes)]
    done = sum(result.get(timeout=600) for result in sent)
    seconds = time.monotonic() - began
    assert done == sum(sizes), f"{done} pages came out"
    alone = []
    for n in range(singles):
        began = time.monotonic()
        graph(n, 1).apply_async().get(timeout=60, interval=0.002)
        alone.append((time.monotonic() - began) * 1000)
    print(json.dumps({"pages": done, "seconds": seconds, "alone_ms": alone}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
