import { ServiceError } from "../../ground/errors.ts";
import { normalEmail } from "../../accounts/rows/people/person.ts";
import { writeOne } from "../../storage/storage.ts";
import { presentedCredential } from "../callers/presented-secret.ts";
import { clearSessionCookie } from "../callers/session-cookie.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

export const signIns = endpointRoutes({
  /** Lists every credential that acts as the caller. */
  async listSignIns({ caller: { personId, hash, onlyOrganization }, served: { storage } }) {
    const own = { personId, hash, onlyOrganization };
    return { signIns: await storage.read("signIn.list", own) };
  },

  async endSignIn({ caller, query: { id }, served, context, request, reply }) {
    const { personId, hash, onlyOrganization } = caller;
    const input = { personId, hash, onlyOrganization, id, address: request.ip };
    const ended = await writeOne(served.storage, "signIn.end", input);
    if (ended === undefined)
      throw new ServiceError("not_found", "This sign-in does not exist, or has ended.");
    if (ended.isCurrent && presentedCredential(context, request).isCookie) {
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
