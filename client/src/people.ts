import type { V1Calls } from "./v1-calls.ts";
import type {
  ChangeRoleBody,
  CreateInvitationBody,
  CreateInvitationReply,
  PeopleReply,
  Person,
} from "./wire.ts";

/**
 * The people of the organization. Changing anything needs a person with the role admin, for owners the role
 * owner; an API key gets RequestError `forbidden`.
 */
export class People {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** By e-mail address. */
  async list(): Promise<Person[]> {
    const path = "/api/v1/people";
    const { people } = await this.#calls.json<PeopleReply>({
      method: "GET",
      path,
      repeatable: true,
    });
    return people;
  }

  /** The last owner stays one: RequestError `conflict`. */
  changeRole(id: string, role: ChangeRoleBody["role"]): Promise<Person> {
    return this.#calls.json({
      method: "PATCH",
      path: "/api/v1/people",
      query: { id },
      body: JSON.stringify({ role }),
      repeatable: true,
    });
  }

  /** Ends the membership at once. The last owner stays: RequestError `conflict`. */
  async remove(id: string): Promise<void> {
    await this.#calls.remove("/api/v1/people", { id });
  }

  /** The link is in this reply only. OutcomeUnknownError after a lost one: the invitation ends by itself. */
  invite(body: CreateInvitationBody): Promise<CreateInvitationReply> {
    return this.#calls.json({
      method: "POST",
      path: "/api/v1/invitations",
      body: JSON.stringify(body),
      repeatable: false,
    });
  }
}
