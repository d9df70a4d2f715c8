"""
Lines that the disk did not accept, on their way from the process that records to its sender.

They are sent through the socket between the two, in pieces of complete lines. A piece has the
number of a segment that is not on the disk: so a place in the spool means the same for lines from
either source, and settled lines are counted and skipped as usual.

    C <number> <bytes>\\n<lines>    to the sender: a piece
    E\\n                            to the sender: `finish` waits for the end
    ?\\n                            to the sender: asks for its state
    {…}\\n                          from the sender: its state, which the disk may not accept either
"""

from __future__ import annotations

import json

from .sent_state import State, plain_state, state_of

ENDING = b"E\n"
QUESTION = b"?\n"


def piece_message(number: int, lines: bytes) -> bytes:
    return b"C %d %d\n%b" % (number, len(lines), lines)


def state_message(state: State) -> bytes:
    """
    Returns the state without what only a sender needs, so that it always fits into the socket.
    """
    return json.dumps({**plain_state(state), "own_annotations": {}}).encode("ascii") + b"\n"


def state_in(message: bytes) -> State | None:
    try:
        return state_of(json.loads(message))
    except ValueError:
        return None


class HandedLines:
    """The sender's end. One thread takes what arrives, another one reads the pieces."""

    def __init__(self) -> None:
        self._pieces: dict[int, bytes] = {}
        self._rest = bytearray()
        self.is_ending = False
        # The reply to a question about the state; None: nothing is known yet.
        self.answer: bytes | None = None

    def take(self, data: bytes) -> int:
        """Takes what has arrived; returns how often the state was asked for."""
        self._rest += data
        questions = 0
        while (end := self._rest.find(b"\n")) >= 0:
            words = bytes(self._rest[:end]).split()
            behind = end + 1
            if words[:1] == [b"C"]:
                behind += int(words[2])
                if behind > len(self._rest):
                    break
                self._pieces[int(words[1])] = bytes(self._rest[end + 1 : behind])
            elif words == [b"?"]:
                questions += 1
            else:
                self.is_ending = True
            del self._rest[:behind]
        return questions

    def take_rest(self) -> None:
        """Keeps the complete lines of a piece whose end will never come."""
        head, _, lines = bytes(self._rest).partition(b"\n")
        self._rest.clear()
        whole = lines[: lines.rfind(b"\n") + 1]
        if head[:2] == b"C " and whole:
            self._pieces[int(head.split()[1])] = whole

    def numbers(self) -> list[int]:
        return list(self._pieces)

    def piece(self, number: int) -> bytes | None:
        return self._pieces.get(number)

    def forget_before(self, number: int) -> None:
        for each in self.numbers():
            if each < number:
                del self._pieces[each]
