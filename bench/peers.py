"""The Python side of the bench: one engine, one job, timed in here.

The job is one JSON argument; the answer is one JSON object on stdout. A passage is one
field of text. A question is any of its words, best ten passages. Texts are read and
questions are split into words before a clock starts.
"""

import json
import os
import resource
import statistics
import sys
import time


def resident():
    try:
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * resource.getpagesize()
    except OSError:
        return 0


def cpu():
    t = os.times()
    return t.user + t.system


class FTS5:
    def __init__(self, texts):
        import sqlite3

        self.db = sqlite3.connect(":memory:")
        self.db.execute("CREATE VIRTUAL TABLE t USING fts5(text, tokenize='porter unicode61')")
        self.db.executemany("INSERT INTO t VALUES (?)", ((t,) for t in texts))
        self.db.commit()

    def prepare(self, q):
        return " OR ".join('"%s"' % w for w in q.split())

    def search(self, q):
        return self.db.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT 10", (q,)).fetchall()


class Tantivy:
    def __init__(self, texts):
        import tantivy

        b = tantivy.SchemaBuilder()
        b.add_text_field("text", stored=False, tokenizer_name="en_stem")
        index = tantivy.Index(b.build())
        w = index.writer(heap_size=256_000_000)
        for t in texts:
            w.add_document(tantivy.Document(text=t))
        w.commit()
        w.wait_merging_threads()
        index.reload()
        self.index = index
        self.searcher = index.searcher()

    def prepare(self, q):
        # AND, OR, NOT and IN in capitals are syntax.
        return q.lower()

    def search(self, q):
        return self.searcher.search(self.index.parse_query(q, ["text"]), 10).hits


class BM25S:
    def __init__(self, texts):
        import bm25s

        self.lib = bm25s
        self.size = min(10, len(texts))
        self.index = bm25s.BM25()
        self.index.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)

    def prepare(self, q):
        return q

    def search(self, q):
        tokens = self.lib.tokenize(q, stopwords="en", show_progress=False)
        if not any(len(t) for t in tokens.ids):
            return []
        return self.index.retrieve(tokens, k=self.size, show_progress=False)


def main():
    job = json.loads(sys.argv[1])
    with open(job["chunks"]) as f:
        texts = [json.loads(line) for line in f]
    make = {"fts5": FTS5, "tantivy": Tantivy, "bm25s": BM25S}[job["engine"]]
    out = {"engine": job["engine"]}
    before = resident()
    walls, cpus, engine = [], [], None
    for _ in range(job["tries"]):
        engine = None
        wall, used = time.perf_counter(), cpu()
        engine = make(texts)
        walls.append(time.perf_counter() - wall)
        cpus.append(cpu() - used)
    out["insert"], out["cpu"] = min(walls), min(cpus)
    out["resident"] = max(0, resident() - before)
    if job["queries"]:
        with open(job["queries"]) as f:
            queries = [engine.prepare(q) for q in json.load(f)]
        for q in queries[:20]:
            engine.search(q)
        times = []
        for q in queries:
            t = time.perf_counter()
            engine.search(q)
            times.append(time.perf_counter() - t)
        times.sort()
        out["p50"] = statistics.median(times)
        out["p95"] = times[int(0.95 * (len(times) - 1))]
    print(json.dumps(out))


main()
