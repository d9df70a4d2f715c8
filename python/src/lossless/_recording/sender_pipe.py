"""The recording's end of the socket between it and its sender. Nothing here waits or raises."""

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
    `far` is the sender's standard input, for whoever starts it to hand on and close. Where there
    are no such sockets (Windows) it is a pipe that only tells the end. Raises OSError.
    """

    def __init__(self) -> None:
        if sys.platform == "win32":
            self.far, own = os.pipe()
        else:
            import socket

            near, far = socket.socketpair()
            self.far, own = far.detach(), near.detach()
        # It is known as ours also when the script closes all that is open.
        self._own = OwnFile(own)
        self._out = bytearray()
        self._in = bytearray()
        self._is_asked = False
        self._is_broken = False
        # What the sender has told last of how far it is.
        self.state: State | None = None

    def is_ours(self) -> bool:
        return self._own.is_ours()

    def close(self) -> None:
        self._own.close()

    def tell_end(self) -> None:
        self._out += ENDING
        self.pump()

    def is_free(self) -> bool:
        """Whether a piece can be given: the one before has left this process."""
        return sys.platform != "win32" and not self._is_broken and not self._out

    def give(self, number: int, lines: bytes) -> None:
        self._out += piece_message(number, lines)
        self.pump()

    def ask(self) -> None:
        """Asks how far the sender is; `state` has it some time later."""
        if not self._is_asked and sys.platform != "win32":
            self._is_asked = True
            self._out += QUESTION
        self.pump()

    def pump(self) -> None:
        """Sends and receives what goes at once."""
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

        # A script that has SIGPIPE end it must not be ended by a sender that is gone.
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
