import type { FastifyRequest } from "fastify";
import { ServiceError } from "../../ground/errors.ts";
import { wrongPassword } from "../../accounts/rows/people/password.ts";
import {
  type MemberOrganization,
  normalEmail,
  type PersonForSignIn,
} from "../../accounts/rows/people/person.ts";
import { named, notAMember, type SignedIn } from "../../accounts/rows/people/sessions.ts";
import { writeOne } from "../../storage/storage.ts";
import { deviceOf } from "./device.ts";
import type { HttpContext } from "../http-context.ts";
import type { OpenService } from "../service-state.ts";

export type { SignedIn };

export interface SignInInput {
  email: string;
  password: string;
  /** Name or id; needed only when the person belongs to several. */
  organization?: string | undefined;
  /**
   * For pages, where the organization is chosen later: a person in several organizations, or in
   * none, gets a session without an active one.
   */
  mayLackOrganization?: boolean;
}

type SignInContext = Pick<HttpContext, "callers" | "log">;

/**
 * Signs a person in by e-mail and password. An unknown address and a wrong password get the same
 * answer after the same time; organizations are named only after the right password.
 *
 * Throws `unauthorized`, `rate_limited`, `forbidden` (no such organization of theirs),
 * `bad_request` (several).
 */
export async function signIn(
  context: SignInContext,
  { storage }: Pick<OpenService, "storage">,
  { email, password, organization, mayLackOrganization = false }: SignInInput,
  { ip: address, headers }: Pick<FastifyRequest, "ip" | "headers">,
): Promise<SignedIn> {
  return context.callers.guesses.attempt(email, address, async () => {
    const people = await storage.read("person.find", { email, organization });
    const holder = normalEmail(email);
    const isRight = (stored: string | undefined) =>
      context.callers.passwords.matches(password, stored, holder);
    let found: (typeof people)[number] | undefined;
    for (const one of people) if (await isRight(one.person.password)) found ??= one;
    if (people.length === 0) await isRight(undefined);
    if (found === undefined) {
      const [first] = people;
      if (first !== undefined) noteRefusal(context, storage, first.person, address);
      throw wrongPassword();
    }
    const { person } = found;
    const active = chosen(found, organization, mayLackOrganization);
    return writeOne(storage, "session.create", {
      personId: person.id,
      seenPassword: person.password,
      organizationId: active?.id,
      address,
      device: deviceOf({ headers }),
    });
  });
}

/**
 * Records a refusal. The reply does not wait for it: it must not take longer because the person
 * exists.
 */
function noteRefusal(
  { callers: { guesses }, log }: SignInContext,
  storage: OpenService["storage"],
  { id: personId, email }: { id: string; email: string },
  address: string,
): void {
  if (!guesses.isNoteworthy(email)) return;
  writeOne(storage, "session.refused", { personId, address }).catch((error: unknown) =>
    log.warn({ err: error }, "a refused sign-in was not written down"),
  );
}

function chosen(
  { organizations: mine, closed }: PersonForSignIn,
  wanted: string | undefined,
  mayLack: boolean,
): MemberOrganization | undefined {
  if (wanted !== undefined) {
    const found = named(mine, wanted);
    if (found !== undefined) return found;
    const other = named(closed, wanted);
    throw other === undefined ? notAMember() : signOnNeeded(other);
  }
  if (mine.length === 1) return mine[0];
  const [other] = closed;
  if (mine.length === 0 && other !== undefined) throw signOnNeeded(other);
  if (mayLack) return undefined;
  if (mine.length === 0) {
    throw new ServiceError("forbidden", "You do not belong to any organization.");
  }
  const names = mine.map(({ name }) => JSON.stringify(name)).join(", ");
  throw new ServiceError("bad_request", `Name the organization to sign in to: one of ${names}.`);
}

function signOnNeeded({ name }: MemberOrganization): ServiceError {
  const sentence = `${name} takes no passwords: choose “Sign in with your organization” on the sign-in page.`;
  return new ServiceError("forbidden", sentence);
}
