import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { targetOf } from "../contract/callers.ts";
import { MlflowCaller } from "../contract/mlflow/mlflow-calls.ts";
import { organizations, Service } from "../service.ts";
import { Random } from "../random.ts";
import { runVerify } from "./verify-command.ts";

export interface MlflowKills {
  kills: number;
  /** Each writes for itself, one thing after the other. */
  writers: readonly string[];
  /** Writes the next thing of a writer; resolves when it is acknowledged. */
  write(writer: string): Promise<void>;
  /** Compares what the service has after a kill with what was acknowledged. */
  check(): Promise<void>;
}

/**
 * Kills a service with -9 while writers speak to it as MLflow's clients do, after a random number
 * of acknowledgements, and starts it again; at the end verifies what it has. Gives the verification
 * as it was printed.
 */
export async function killDuring(
  context: TestContext,
  prepare: (caller: MlflowCaller) => Promise<MlflowKills>,
): Promise<string> {
  const seed = Math.floor(Math.random() * 2 ** 32);
  context.diagnostic(`seed ${seed}`);
  const random = new Random(seed);
  await using service = await Service.start();
  const work = await prepare(new MlflowCaller(targetOf(service), organizations.acme.key));
  for (let kill = 0; kill < work.kills; kill++) {
    await writeUntilKilled(service, work, 5 + random.below(40));
    await service.start();
    await work.check();
  }
  assert.equal(await service.stop(), 0, service.errors);
  const { code, output } = await runVerify(service);
  assert.equal(code, 0, output);
  return output;
}

async function writeUntilKilled(
  service: Service,
  { writers, write }: MlflowKills,
  acknowledgements: number,
): Promise<void> {
  let count = 0;
  let isKilled = false;
  const killed = Promise.withResolvers<void>();
  const writeOn = async (writer: string): Promise<void> => {
    while (!isKilled) {
      try {
        await write(writer);
      } catch (error) {
        if (isKilled) return;
        throw error;
      }
      if (++count === acknowledgements) {
        isKilled = true;
        killed.resolve(service.kill());
      }
    }
  };
  await Promise.all([...writers.map(writeOn), killed.promise]);
}
