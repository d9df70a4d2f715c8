import { useState } from "preact/hooks";
import { messageOf } from "./words.ts";

/** Something that a person does, and what the service says to it where they did it. */
export function useAct() {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  /** Whether it succeeded. */
  const act = async (work: () => Promise<unknown>): Promise<boolean> => {
    setIsBusy(true);
    try {
      await work();
      setProblem(undefined);
      return true;
    } catch (error) {
      setProblem(messageOf(error));
      return false;
    } finally {
      setIsBusy(false);
    }
  };
  return { isBusy, problem, act, setProblem };
}
