import type { SignIn } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { normalEmail } from "../../accounts/rows/people/person.ts";
import { writeOne } from "../../storage/storage.ts";
import { presentedCredential } from "../callers/presented-secret.ts";
import { clearSessionCookie } from "../callers/session-cookie.ts";
import { v1 } from "./v1.ts";

export const signIns = v1({
  /** Lists every credential that acts as the caller. */
  async listSignIns({ caller: { personId, hash, onlyOrganization }, served: { storage } }) {
    const [sessions, grants] = await Promise.all([
      storage.read("session.list", { personId, hash, onlyOrganization }),
      storage.read("oauth.list", { personId, onlyOrganization }),
    ]);
    const browsers = sessions.map(({ isCurrent: current, organization, ...session }) => ({
      ...shown(session),
      kind: "session" as const,
      current,
      organization,
    }));
    const programs = grants.map((grant) => ({
      ...shown(grant),
      kind: "command_line" as const,
      current: false,
      organization: null,
    }));
    return { signIns: [...browsers, ...programs] };
  },

  async endSignIn({ caller, query: { id }, served, context, request, reply }) {
    const { personId, hash, onlyOrganization } = caller;
    const { storage } = served;
    const sessions = await storage.read("session.list", { personId, hash, onlyOrganization });
    const input = { personId, onlyOrganization, id, address: request.ip };
    const isEnded =
      (await writeOne(storage, "session.endOne", input)) ||
      (await writeOne(storage, "oauth.endOne", input));
    if (!isEnded) throw new ServiceError("not_found", "You have no such sign-in any more.");
    const isOwn = sessions.some((one) => one.isCurrent && one.id === id);
    if (isOwn && presentedCredential(context, request).isCookie) {
      reply.header("set-cookie", clearSessionCookie(context));
    }
  },

  /** Requires a proof: an account is not erased by chance, or on an unattended machine. */
  async eraseAccount({ caller, body, served: { storage }, context, request, reply }) {
    const { personId, email, onlyOrganization } = caller;
    const { ip: address } = request;
    if (normalEmail(body.email) !== email) {
      throw new ServiceError("bad_request", "This is not the address of your account.");
    }
    const erase = (seenPassword: string | null) =>
      writeOne(storage, "person.erase", { personId, seenPassword, onlyOrganization, address });
    if (onlyOrganization === null) {
      await context.callers.guesses.attempt(email, address, async () => {
        const seen = await storage.read("password.read", { personId });
        const given = body.password ?? "";
        if (seen === null || !(await context.callers.passwords.matches(given, seen, email))) {
          throw new ServiceError("unauthorized", "The present password is wrong.");
        }
        await erase(seen);
      });
    } else await erase(null);
    if (presentedCredential(context, request).isCookie) {
      reply.header("set-cookie", clearSessionCookie(context));
    }
  },
});

function shown(stored: {
  id: string;
  createdAtMs: number;
  expiresAtMs: number;
  usedAtMs: number | null;
  device: string | null;
  address: string | null;
}): Omit<SignIn, "kind" | "current" | "organization"> {
  const { id, createdAtMs, expiresAtMs, usedAtMs, device, address } = stored;
  return {
    id,
    created: new Date(createdAtMs).toISOString(),
    lastUsed: usedAtMs === null ? null : new Date(usedAtMs).toISOString(),
    expires: new Date(expiresAtMs).toISOString(),
    device,
    address,
  };
}
