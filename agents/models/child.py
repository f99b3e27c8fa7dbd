"""What runs in the child process of the embedded model: llama.cpp behind a URL on loopback.

Standard input holds one line of JSON (`model`, `key`, `threads`, `slots`, `context`, `embeds`); standard output gets
one line back, `{"base_url": ...}` or `{"fault": ..., "text": ...}`. The end of standard input ends the process.
"""

import json
import os
import sys
import threading
from typing import Any, TextIO

__all__ = ["main"]


def main() -> None:
    """Serve until standard input ends: the parent stopped, or died."""
    answers = _own_stdout()
    config = json.loads(sys.stdin.readline())
    watch = threading.Thread(target=_leave_with_parent, daemon=True)
    watch.start()
    try:
        server = _serve(config)
    except ImportError as error:
        answer = {"fault": "import", "text": str(error)}
    except (RuntimeError, MemoryError) as error:
        answer = {"fault": "load", "text": str(error)}
    else:
        answer = {"base_url": f"{server.listening_address}/v1"}
    print(json.dumps(answer), file=answers, flush=True)
    if "base_url" in answer:
        watch.join()


def _own_stdout() -> TextIO:
    """Standard output for us alone; what native code prints goes to standard error."""
    ours = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return ours


def _leave_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)  # the native teardown can hang


def _serve(config: dict[str, Any]) -> Any:
    import xllamacpp  # type: ignore[import-untyped, unused-ignore]

    parameters = _parameters(xllamacpp.CommonParams(), config)
    if config["embeds"]:
        parameters.embedding = True
        parameters.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
        parameters.n_batch = parameters.n_ubatch = config["context"]  # a text is read in one piece
    server = xllamacpp.Server(parameters)
    if config["embeds"]:
        server.handle_embeddings({"input": "Hi"})
    else:
        server.handle_completions({"prompt": "Hi", "max_tokens": 1})  # a stop before any request can hang
    return server


def _parameters(parameters: Any, config: dict[str, Any]) -> Any:
    parameters.model.path = config["model"]
    parameters.model_alias = {"local"}
    parameters.api_keys = [config["key"]]
    parameters.n_parallel = config["slots"]
    parameters.n_ctx = config["context"] * config["slots"]  # the total, split evenly over the slots
    parameters.cpuparams.n_threads = config["threads"]
    parameters.cpuparams_batch.n_threads = config["threads"]
    parameters.cache_ram_mib = 0  # what it brings back depends on other dialogues
    parameters.offline = True
    parameters.ui = False
    parameters.verbosity = 1  # errors
    return parameters


if __name__ == "__main__":
    main()
