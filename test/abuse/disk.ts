import { randomUUID } from "node:crypto";
import { event } from "../contract/callers.ts";
import { setQuota } from "../quota.ts";
import type { Abuse } from "./abuse.ts";

/** Finding 10: one member stores until the disk is full. */
export const fillingTheDisk: Abuse = {
  name: "an organization that stores all it can",
  isTimed: false,
  async prepare(scene) {
    const { stored } = await setQuota(scene.service);
    const more = scene.amount(4, 64) * 1024 * 1024;
    await setQuota(scene.service, "--bytes", String(stored.bytes + more));
    return async () => {
      const description = "d".repeat(16_000);
      let isRefused = false;
      // Four times as much as it may.
      for (let sent = 0; sent < 4 * more && !isRefused; sent += 100 * description.length) {
        const opens = Array.from({ length: 100 }, () =>
          event("experiment.open", { slug: `fill-${randomUUID()}`, description, meta: {} }),
        );
        const { status, text } = await scene.post("/api/v2/events", opens);
        scene.expect(status === 200, `opening got ${status}: ${text.slice(0, 200)}`);
        isRefused = text.includes('"limit_exceeded"');
      }
      scene.expect(isRefused, "nothing was refused beyond the quota");
      const after = await setQuota(scene.service, "--bytes", "none");
      const isWithin = after.stored.bytes <= stored.bytes + more;
      scene.expect(isWithin, `${after.stored.bytes} bytes are stored`);
    };
  },
};
