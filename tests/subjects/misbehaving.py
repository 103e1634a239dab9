"""A process that answers rightly until a given request, and then does what its script says.

Run as `misbehaving.py FOLDER-OF-THE-PYTHON-HARNESS SCRIPT`; the script is JSON with `at`, `do` and details.
"""

import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, sys.argv[1])
import harness

SCRIPT = json.loads(sys.argv[2])
OUT = 1


def write(content):
    while content:
        content = content[os.write(OUT, content) :]


def forever(descriptor, chunk):
    while True:
        os.write(descriptor, chunk)


def sleeper(new_session):
    """A child that would sleep on: in this group, or a daemon in a session of its own whose parent is gone."""
    if not new_session:
        subprocess.Popen(["sleep", "1000"])
    elif os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execvp("sleep", ["sleep", "1000"])
        os._exit(0)
    else:
        os.wait()


def misbehave(do, reply):
    """What to do in the place of a reply; True when the reply is still to be written."""
    if do == "write":
        write(bytes.fromhex(SCRIPT["bytes"]))
    elif do == "merge":
        write(json.dumps({**reply, **SCRIPT["members"]}).encode() + b"\n")
    elif do == "twice":
        write(2 * (json.dumps(reply).encode() + b"\n"))
    elif do == "half":
        write(json.dumps(reply).encode()[:-5])
        os._exit(0)
    elif do == "drip":
        for byte in json.dumps(reply).encode() + b"\n":
            write(bytes([byte]))
            time.sleep(SCRIPT["pause"])
    elif do == "die":
        os.write(2, SCRIPT.get("words", "").encode())
        os._exit(SCRIPT["code"])
    elif do == "signal":
        os.kill(os.getpid(), SCRIPT["signal"])
    elif do in ("hang", "answer and hang"):
        write(json.dumps(reply).encode() + b"\n" if do != "hang" else b"")
        time.sleep(1000)
    elif do == "ignore":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        time.sleep(1000)
    elif do == "close":
        os.close(SCRIPT["descriptor"])
        time.sleep(1000)
    elif do == "flood":
        forever(SCRIPT["descriptor"], SCRIPT["text"].encode() * 4096)
    elif do == "stripped":
        reply["result"]["version"] = subprocess.Popen(["sleep", "1000"], env={}).pid
        return True
    elif do in ("fork", "fork and die", "daemon", "daemon and die"):
        sleeper(new_session=do.startswith("daemon"))
        if do.endswith("and die"):
            os._exit(5)
        return True
    return False


def main():
    sessions = {}
    for number, line in enumerate(sys.stdin):
        request = json.loads(line)
        reply = {"id": request["id"], "result": harness.answer(request, SCRIPT.get("kind", "brownian"), sessions)}
        if number != SCRIPT["at"] or misbehave(SCRIPT["do"], reply):
            write(json.dumps(reply).encode() + b"\n")
        if request["op"] == "stop" and not SCRIPT.get("stays"):
            break


main()
