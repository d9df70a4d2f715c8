import { inParallel } from "@lossless/client/in-parallel";
import { CommandError } from "../../command.ts";
import { listIn, type Message, messageIn, type MlflowServer, textIn } from "./mlflow-server.ts";

/** Models that a run made and used. */
export interface ModelLinks {
  made: Message[];
  used: Message[];
}

export interface LinkedRun {
  /** The run's id here. */
  runId: string;
  /** Its links on the source server, and those already set here. */
  there: ModelLinks;
  here: ModelLinks | undefined;
  /** Called when all its links are set. */
  onLinked?: () => Promise<void>;
}

interface Linking {
  target: MlflowServer;
  runs: readonly LinkedRun[];
  /** Ids of models here by those on the source server; undefined for one that could not be made. */
  modelIds: ReadonlyMap<string, string | undefined>;
  parallel: number;
  /** Receives models of the source server with which a run could not be linked. */
  onRefused: (models: readonly string[], error: CommandError) => void;
}

/** Returns the links of a run; undefined for a run without any. */
export function linksOf(run: Message): ModelLinks | undefined {
  const made = listIn(messageIn(run, "outputs"), "model_outputs");
  const used = listIn(messageIn(run, "inputs"), "model_inputs");
  return made.length + used.length > 0 ? { made, used } : undefined;
}

const paths = { made: "runs/outputs", used: "runs/log-inputs" } as const;

/** Links the runs here with the models that they made and used, where links are missing. */
export async function linkModels(linking: Linking): Promise<void> {
  const { target, runs, modelIds, parallel, onRefused } = linking;
  await inParallel(parallel, runs, async ({ runId, there, here, onLinked }) => {
    let isWhole = true;
    for (const way of ["made", "used"] as const) {
      const known = new Set(here?.[way].map(linkText));
      const models = new Map<Message, string>();
      for (const link of there[way]) {
        const origin = textIn(link, "model_id");
        const modelId = modelIds.get(origin);
        if (modelId === undefined) {
          if (modelIds.has(origin)) isWhole = false;
          continue;
        }
        const own = { ...link, model_id: modelId };
        if (!known.has(linkText(own))) models.set(own, origin);
      }
      if (models.size === 0) continue;
      try {
        await target.post(paths[way], { run_id: runId, models: [...models.keys()] });
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        onRefused([...models.values()], error);
        isWhole = false;
      }
    }
    if (isWhole) await onLinked?.();
  });
}

function linkText(link: Message): string {
  return `${textIn(link, "model_id")} ${textIn(link, "step") || "0"}`;
}
