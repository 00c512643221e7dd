"""A keeper: the parent of one foreign program, which ends all that the program has started.

Run as a script, by `program.py`, in a Python of its own:

    python -I -S keeper.py CONTROL TOLD COMMAND...

It is a subreaper, for which there is no other way than to be the parent: a process whose parent has
ended becomes its child, whatever session or group it went to, so that none can leave. When the
program ends, or nobody holds the other end of the pipe CONTROL any more (who started us wants it
so, or was killed), everything below is killed, and the keeper ends as the program did. What TOLD
says is the program's number, or why it could not be started. For Linux.
"""

import _thread
import ctypes
import os
import resource
import signal
import sys
import time
from contextlib import suppress

PR_SET_CHILD_SUBREAPER = 36
PR_GET_CHILD_SUBREAPER = 37


def below(root: int) -> list[int]:
    """All processes that descend from one."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
                children.setdefault(parent, []).append(int(name))
    found = [root]
    for each in found:
        found += children.get(each, [])
    return found[1:]


def end_all() -> None:
    """Kill until nothing is left: what is started meanwhile is found the next time."""
    while True:
        for pid in below(os.getpid()):
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def main() -> None:
    control, told, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    for number in (control, told):
        os.set_inheritable(number, False)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    stopping = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
    for number in stopping:  # the pipe says when it is over
        signal.signal(number, signal.SIG_IGN)
    program = os.fork()
    if not program:
        try:
            os.setsid()  # a program that kills its group does not mean us
            for number in (*stopping, signal.SIGPIPE, signal.SIGXFSZ):  # the last by Python
                signal.signal(number, signal.SIG_DFL)
            os.execv(command[0], command)
        except OSError as error:
            os.write(told, f"{error}\n".encode())
        os._exit(127)
    os.write(told, f"{program}\n".encode())
    os.close(told)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):  # the program's alone: its end must be seen
        os.dup2(nothing, number)

    def watch() -> None:
        os.read(control, 1)
        end_all()
        os._exit(0)

    _thread.start_new_thread(watch, ())
    status = 0
    with suppress(ChildProcessError):  # the other thread was first
        while True:
            pid, found = os.waitpid(-1, 0)
            if pid == program:
                status = found
                break
    end_all()
    if os.WIFSIGNALED(status):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError):  # nothing else is to be done about SIGKILL
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


if __name__ == "__main__":
    main()
