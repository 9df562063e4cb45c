"""`python -I -S client.py SOCKET WORD ...`: have a server's child be `bbc`, and end as it does.

It imports what is built in alone: it is to cost nothing.
"""

import _socket
import os
import signal
import sys


def is_inherited(number: int) -> bool:
    try:
        return os.get_inheritable(number)
    except OSError:
        return False


streams = [number for number in range(100) if is_inherited(number)]
server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
server.connect(sys.argv[1])
words = [os.fsencode(word) for word in sys.argv[2:]]
variables = [key + b"=" + value for key, value in os.environb.items()]
numbers = ",".join(map(str, streams)).encode()
text = b"\0".join([numbers, str(len(words)).encode(), *words, *variables])
sent = b"".join(n.to_bytes(4, sys.byteorder) for n in (os.open(".", os.O_RDONLY), *streams))
rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, sent)
server.sendmsg([len(text).to_bytes(4, "big")], [rights])
server.sendall(text)
status = int(server.recv(16) or 1)
if status < 0:
    if -status != signal.SIGKILL:
        signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
os._exit(status)
