import { useRef, useState } from "preact/hooks";
import { messageOf } from "./words.ts";

/** Something that a person does, and what the service says to it where they did it. */
export function useAct() {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const isAtWork = useRef(false);
  /** Whether it succeeded. While one is at work another does nothing: it was pressed twice. */
  const act = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (isAtWork.current) return false;
    isAtWork.current = true;
    setIsBusy(true);
    try {
      await work();
      setProblem(undefined);
      return true;
    } catch (error) {
      setProblem(messageOf(error));
      return false;
    } finally {
      isAtWork.current = false;
      setIsBusy(false);
    }
  };
  return { isBusy, problem, act, setProblem };
}
