import { useEffect, useRef, useState } from "preact/hooks";
import type { ConsolePlace } from "./console-lines.ts";
import type { Consoles } from "./use-consoles.ts";

/** A place to go to; another object each time. */
export interface Going {
  place: ConsolePlace;
  /** The pane that is there already. */
  by?: number;
  /** Stays where it is if the line is on the screen. */
  isGentle?: boolean;
}

/** Where in a console somebody is, and goes. */
export interface Way {
  going: Going;
  isAtEnd: boolean;
  /** The line at the top of the screen; at the end the number of the next one. */
  origin: () => number;
  go: (place: ConsolePlace) => void;
  /** A pane was scrolled to a place. */
  placed: (place: ConsolePlace, by: number) => void;
}

/** Goes to the chosen line, when another one is chosen, or to the end. */
export function useWay({ main, panes }: Consoles, chosen: number | undefined): Way {
  const [going, setGoing] = useState<Going>({ place: chosen ?? "end" });
  const [isAtEnd, setIsAtEnd] = useState(chosen === undefined);
  const now = useRef(going.place);
  const move = (place: ConsolePlace) => {
    now.current = place;
    setIsAtEnd(place === "end");
  };
  useEffect(() => {
    if (chosen === undefined) return;
    move(chosen);
    setGoing({ place: chosen, isGentle: true });
  }, [chosen]);
  // Other lines begin where these are.
  useEffect(() => setGoing({ place: now.current }), [main, panes]);
  return {
    going,
    isAtEnd,
    origin: () => (now.current === "end" ? (main.total.peek() ?? 0) : now.current),
    go: (place) => {
      move(place);
      setGoing({ place });
    },
    placed: (place, by) => {
      move(place);
      // Columns side by side follow each other.
      if (panes.length > 1) setGoing({ place, by });
    },
  };
}
