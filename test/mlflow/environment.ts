import { join } from "node:path";
import { pythonWith } from "../python/environment.ts";

/**
 * The Python that has MLflow, with what these lists in this folder name. Throws where it cannot be
 * installed: without MLflow itself nothing is known about its clients.
 */
export function mlflowPython(...lists: string[]): string {
  const names = lists.length > 0 ? lists : ["requirements.txt"];
  const files = names.map((name) => join(import.meta.dirname, name));
  return pythonWith("mlflow", files);
}
