"""The recording's end of the socket to its sender. Nothing here waits or raises."""

from __future__ import annotations

import os
import sys

from .._ground.own_file import OwnFile
from .._ground.signal_handlers import is_of_signal_handler
from .._spool.handed_lines import ENDING, QUESTION, piece_message, state_in
from .._spool.sent_state import State

_READ_BYTES = 2**16


class SenderPipe:
    """
    The socket. `far` is the sender's standard input, to be passed on and closed by the caller that
    starts it. Where there are no such sockets (Windows) it is a pipe that only signals the end.
    Raises OSError.
    """

    def __init__(self) -> None:
        if sys.platform == "win32":
            self.far, own = os.pipe()
        else:
            import socket

            near, far = socket.socketpair()
            self.far, own = far.detach(), near.detach()
        # Recognised as ours even when the script closes everything that is open.
        self._own = OwnFile(own)
        self._out = bytearray()
        self._in = bytearray()
        self._is_asked = False
        self._is_broken = False
        # The last state reported by the sender.
        self.state: State | None = None

    def is_ours(self) -> bool:
        return self._own.is_ours()

    def close(self) -> None:
        self._own.close()

    def tell_end(self) -> None:
        self._out += ENDING
        self.pump()

    def is_free(self) -> bool:
        """Whether a piece can be handed over: the previous one has left this process."""
        return sys.platform != "win32" and not self._is_broken and not self._out

    def give(self, number: int, lines: bytes) -> None:
        self._out += piece_message(number, lines)
        self.pump()

    def ask(self) -> None:
        """Asks for the sender's state, which is in `state` some time later."""
        if not self._is_asked and sys.platform != "win32":
            self._is_asked = True
            self._out += QUESTION
        self.pump()

    def pump(self) -> None:
        """Sends and receives what is possible without waiting."""
        if self._is_broken or not self.is_ours():
            return
        try:
            self._move()
        except BlockingIOError:
            pass
        except OSError as error:
            if is_of_signal_handler(error):
                raise
            # The sender has ended.
            self._is_broken = True

    def _move(self) -> None:
        if sys.platform == "win32":
            while self._out:
                del self._out[: os.write(self._own.number, bytes(self._out))]
            return
        import socket

        # Without SIGPIPE: it must not end a script because its sender is gone.
        flags = socket.MSG_DONTWAIT | getattr(socket, "MSG_NOSIGNAL", 0)
        end = socket.socket(fileno=self._own.number)
        try:
            self._receive(end, flags)
            while self._out:
                del self._out[: end.send(self._out, flags)]
        finally:
            end.detach()

    def _receive(self, end: object, flags: int) -> None:
        import socket

        assert isinstance(end, socket.socket)
        try:
            while data := end.recv(_READ_BYTES, flags):
                self._in += data
        except BlockingIOError:
            pass
        *messages, rest = bytes(self._in).split(b"\n")
        self._in[:] = rest
        for message in messages:
            self._is_asked = False
            self.state = state_in(message) or self.state
