import type { FastifyRequest } from "fastify";
import { type JoiningPassword, uselessLink } from "../../accounts/rows/people/accept-invitation.ts";
import { wrongPassword } from "../../accounts/rows/people/password.ts";
import type { SignedIn } from "../../accounts/rows/people/sessions.ts";
import type { ShownInvitation } from "../../accounts/rows/people/shown-invitation.ts";
import { hashSecret, isSecretOf } from "../../ground/secrets.ts";
import { writeOne } from "../../storage/storage.ts";
import { deviceOf } from "./device.ts";
import type { HttpContext } from "../http-context.ts";
import type { OpenService } from "../service-state.ts";

/**
 * Takes an invitation, the first-start link or a link for a new password, and signs in. A person
 * who is known already gives the password they have; another sets one. A link for one address works
 * for its holder even if the address was taken elsewhere.
 *
 * Throws `unauthorized` (an invalid link, a wrong password), `forbidden` (a link for another
 * address), `rate_limited`.
 */
export async function joinOrganization(
  { callers: { guesses, passwords } }: Pick<HttpContext, "callers">,
  { storage }: Pick<OpenService, "storage">,
  { token, email, password }: { token: string; email: string; password: string },
  { ip: address, headers }: Pick<FastifyRequest, "ip" | "headers">,
): Promise<SignedIn> {
  return guesses.attempt(email, address, async () => {
    if (!isSecretOf(token, "in_")) throw uselessLink();
    const hash = hashSecret(token);
    const needed = await storage.read("invitation.find", { hash, email });
    const accept = (joining: JoiningPassword) =>
      writeOne(storage, "invitation.accept", {
        hash,
        email,
        password: joining,
        address,
        device: deviceOf({ headers }),
      });
    if (needed.use === "compare") {
      for (const seen of needed.seen)
        if (await passwords.matches(password, seen, email)) return accept({ use: "compare", seen });
      if (needed.otherwise === "refuse") throw wrongPassword();
    }
    const use = needed.use === "compare" ? "apart" : "set";
    return accept({ use, hash: await passwords.hash(password, email) });
  });
}

/**
 * Returns the target of a link; null for every invalid link, so that they look the same. A link is
 * found by the SHA-256 of its token, so that the time of a look-up tells nothing about other
 * tokens.
 */
export async function shownInvitation(
  { storage }: Pick<OpenService, "storage">,
  token: string,
): Promise<ShownInvitation | null> {
  if (!isSecretOf(token, "in_")) return null;
  return storage.read("invitation.show", { hash: hashSecret(token) });
}
