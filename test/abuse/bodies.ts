import { setTimeout as sleep } from "node:timers/promises";
import { event } from "../contract/callers.ts";
import { call } from "../http.ts";
import { people } from "../service.ts";
import type { Abuse } from "./abuse.ts";
import { head, RawSockets } from "./raw-sockets.ts";
import { attackerAddress, type Scene } from "./scene.ts";

const bodyBytesMax = 32 * 1024 * 1024;
const formBytesMax = 65_536;

/** Finding 3: a budget that is taken by announcing. */
export const announcedBodies: Abuse = {
  name: "bodies that are announced and do not come",
  isTimed: true,
  async prepare(scene) {
    const { id, token } = await scene.open();
    const request =
      head(`POST /api/v2/experiments/${id}/events`, {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        "Content-Length": bodyBytesMax,
      }) + "[";
    return async () => {
      using sockets = new RawSockets(scene.service.baseUrl, { reads: true });
      await sockets.openMany(scene.limits.queueBytes / bodyBytesMax + 8, request);
      // Bytes that have not arrived count for no organization, not even their own. Several times:
      // the service may be slower to receive the announcements.
      for (let count = 0; count < 20; count++) {
        const { status } = await scene.post("/api/v2/events", event("foldertree.read", {}));
        scene.expect(status === 200, `their own organization was answered ${status}`);
        await sleep(100);
      }
      await endsInTime(scene, sockets);
    };
  },
};

/** Finding 3: the same by somebody without any credential, who sends nearly all of it. */
export const announcedForms: Abuse = {
  name: "forms of strangers that do not end",
  isTimed: false,
  async prepare(scene) {
    const form = (sizeBytes: number): string =>
      head("POST /oauth/token", {
        "Content-Type": "application/x-www-form-urlencoded",
        "Content-Length": sizeBytes,
      }) + "a".repeat(sizeBytes - 1);
    return async () => {
      using sockets = new RawSockets(scene.service.baseUrl, { reads: true });
      await sockets.openMany(scene.amount(300, 4_000), form(formBytesMax));
      // The rest of the room beside the large ones is for smaller ones.
      for (const sizeBytes of [4_000, 300, 20]) await sockets.openMany(50, form(sizeBytes));
      await canSignIn(scene);
    };
  },
};

/** Finding 3: connections that are opened, and no more. */
export const idleConnections: Abuse = {
  name: "all connections of one address",
  isTimed: false,
  async prepare(scene) {
    return async () => {
      using sockets = new RawSockets(scene.service.baseUrl, { reads: true });
      const tooMany = 200;
      await sockets.openMany(scene.limits.connections + tooMany, "GET /healthz HTTP/1.1\r\n");
      while (sockets.closed < tooMany) await sleep(10);
      await canSignIn(scene);
    };
  },
};

/** From the address of everybody else. */
async function canSignIn(scene: Scene): Promise<void> {
  const { status, text } = await call(scene.service.baseUrl, {
    path: "/api/v1/sessions",
    body: people.ada,
  }).catch((error: unknown) => ({ status: 0, text: String(error) }));
  scene.expect(status === 201, `beside ${attackerAddress} a sign-in got ${status}: ${text}`);
}

async function endsInTime(scene: Scene, sockets: RawSockets): Promise<void> {
  const isOver = await sockets.allClosed(scene.limits.requestTimeoutMs + 60_000);
  scene.expect(isOver, `${sockets.count - sockets.closed} of ${sockets.count} are still open`);
}
