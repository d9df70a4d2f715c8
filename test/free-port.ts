import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Port 0 and outgoing connections get what lies above: Linux from 32768, others from 49152. */
const [firstPort, endPort] = [10_000, 32_768];

/**
 * A port for who has to know it before it is listened on, or to keep it over restarts. One that was
 * got by asking for 0 would not do: the system gives it to the next who asks, and tests run side by
 * side.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstPort, endPort);
    if (await isFree(port)) return port;
  }
}

/** Different from each other. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
