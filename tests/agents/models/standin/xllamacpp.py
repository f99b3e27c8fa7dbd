"""A stand-in for the library of the same name: a server that answers with what it was asked.

`STANDIN` in the environment makes it fail as the real one does where a machine lacks something.
"""

import json
import os
import re
import signal
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

FAULT = os.environ.get("STANDIN", "")
if FAULT == "libgomp":
    raise ImportError("libgomp.so.1: cannot open shared object file: No such file or directory")
if FAULT == "illegal":
    os.kill(os.getpid(), signal.SIGILL)
if FAULT == "slow":
    threading.Event().wait()
if FAULT == "memory":
    print("0.00.001.000 E ggml_aligned_malloc: insufficient memory (attempted to allocate 6144.00 MB)", file=sys.stderr)


llama_pooling_type = SimpleNamespace(LLAMA_POOLING_TYPE_MEAN="mean")


class CommonParams(SimpleNamespace):
    def __init__(self):
        super().__init__(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "input" in body:
            self.embed(body["input"])
            return
        if self.path in ("/tokenize", "/completion"):
            self.weigh(body)
            return
        said = body["prompt"] if "prompt" in body else body["messages"][-1]["content"]
        if said == "hang":
            threading.Event().wait()
        fuse = Path(f"{self.server.parameters.model.path}.fuse")
        if said == "die" or (said == "die once" and not fuse.exists()):
            fuse.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        answer = {"pid": os.getpid(), "threads": self.server.parameters.cpuparams.n_threads, "body": body}
        choice = {"index": 0, "finish_reason": "stop"}
        choice |= {"text": json.dumps(answer), "message": {"role": "assistant", "content": json.dumps(answer)}}
        self.answer({"choices": [choice], "usage": {"prompt_tokens": 3, "completion_tokens": 2}})

    def answer(self, whole):
        raw = json.dumps(whole).encode()
        allowed = self.headers["Authorization"] == f"Bearer {self.server.parameters.api_keys[0]}"
        self.send_response(200 if allowed else 401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def weigh(self, body):
        """A token a word, its id and its weight the number of its letters."""
        if "content" in body:
            tokens = [{"id": len(word), "piece": word} for word in body["content"].split()]
            self.answer({"tokens": tokens})
            return
        assert body["id_slot"] == 1 and body["cache_prompt"] is False
        ids = [int(id) for id in re.findall(r"<\[(\d+)\]>", body["grammar"])]
        self.answer({"completion_probabilities": [{"id": id, "logprob": -float(id)} for id in ids]})

    def embed(self, text):
        assert self.server.parameters.pooling_type == "mean"
        if text == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        self.server.count = getattr(self.server, "count", 0) + 1
        raw = json.dumps({"data": [{"embedding": [float(len(text)), float(self.server.count)]}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_):
        print("noise on standard output", flush=True)


class Server:
    def __init__(self, parameters):
        if FAULT == "memory":
            raise RuntimeError("Failed to init server, please check the input params.")
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.parameters = parameters
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.listening_address = f"http://127.0.0.1:{self._server.server_port}"

    def handle_completions(self, request):
        assert request["max_tokens"] == 1

    def handle_embeddings(self, request):
        assert self._server.parameters.embedding
