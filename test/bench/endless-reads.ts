import { request } from "node:http";
import { organizations } from "../service.ts";

/** A read that a process of the bench repeats until its parent has gone. */
export interface EndlessRead {
  baseUrl: string;
  path: string;
  body: string;
  /** Simultaneous reads. */
  connections: number;
}

process.on("message", ({ connections, ...read }: EndlessRead) => {
  for (let count = 0; count < connections; count++) void readAgain(read);
});
process.on("disconnect", () => process.exit());

async function readAgain(read: Omit<EndlessRead, "connections">): Promise<never> {
  for (;;) await readOnce(read);
}

function readOnce({ baseUrl, path, body }: Omit<EndlessRead, "connections">): Promise<void> {
  const headers = {
    authorization: `Bearer ${organizations.acme.key}`,
    "content-type": "application/json",
  };
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, baseUrl), { method: "POST", headers, agent: false });
    sent.on("error", reject).on("response", (response) => {
      response.on("error", reject).on("end", resolve).resume();
    });
    sent.end(body);
  });
}
