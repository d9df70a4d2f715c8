import { useRef, useState } from "preact/hooks";
import { messageOf } from "./words.ts";

/** Runs an action by a person; a refusal of the service is shown where they acted. */
export function useAct() {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const isAtWork = useRef(false);
  /** Runs the work; returns whether it succeeded. A second press during the first does nothing. */
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
