import { endpoints } from "./endpoints.ts";
import type { V1Calls } from "./v1-calls.ts";
import type { CurrentSession, SignIn } from "./wire.ts";

/**
 * The person behind a session, and their sign-ins. An API key or a token of the command line gets
 * RequestError `forbidden`.
 */
export class Account {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** Returns the person, the active organization, and the others that they belong to. */
  session(): Promise<CurrentSession> {
    return this.#calls.json(endpoints.readSession, {});
  }

  /** Makes another of the person's organizations, by name or id, active for the session. */
  switchOrganization(organization: string): Promise<CurrentSession> {
    return this.#calls.json(endpoints.switchOrganization, {
      body: { organization },
      repeatable: true,
    });
  }

  /**
   * Changes the password, and ends every other session and every sign-in of the command line.
   * RequestError `unauthorized`: the current password is wrong.
   */
  async changePassword(current: string, password: string): Promise<void> {
    await this.#calls.reply(endpoints.changePassword, { body: { current, password } });
  }

  /** Living sessions and sign-ins of the command line. */
  async signIns(): Promise<SignIn[]> {
    return (await this.#calls.json(endpoints.listSignIns, {})).signIns;
  }

  /** Ends one sign-in at once. */
  async endSignIn(id: string): Promise<void> {
    await this.#calls.remove(endpoints.endSignIn, id);
  }

  /**
   * Erases the person for good. `password`: needed where they signed in by one. The last owner of
   * an organization gets `conflict`.
   */
  async erase(email: string, password?: string): Promise<void> {
    const body = { email, ...(password !== undefined && { password }) };
    await this.#calls.reply(endpoints.eraseAccount, { body });
  }

  /** Signs out: ends this session. */
  async signOut(): Promise<void> {
    await this.#calls.reply(endpoints.endSession, {});
  }
}
