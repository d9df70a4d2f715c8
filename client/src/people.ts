import { endpoints } from "./endpoints.ts";
import type { V1Calls } from "./v1-calls.ts";
import type {
  ChangeRoleBody,
  CreateInvitationBody,
  CreateInvitationReply,
  Invitation,
  Person,
} from "./wire.ts";

/**
 * The people of the organization. Changes need a person with the role admin, for owners the role
 * owner; an API key gets RequestError `forbidden`.
 */
export class People {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** Lists the members, by e-mail address. */
  async list(): Promise<Person[]> {
    return (await this.#calls.json(endpoints.listPeople, {})).people;
  }

  /** Changes a role. The last owner stays one: RequestError `conflict`. */
  changeRole(id: string, role: ChangeRoleBody["role"]): Promise<Person> {
    const call = { query: { id }, body: { role }, repeatable: true };
    return this.#calls.json(endpoints.changeRole, call);
  }

  /** Ends the membership at once. The last owner stays: RequestError `conflict`. */
  async remove(id: string): Promise<void> {
    await this.#calls.remove(endpoints.removePerson, id);
  }

  /**
   * Invites a person; only this reply has the link. OutcomeUnknownError if lost: the invitation
   * expires.
   */
  invite(body: CreateInvitationBody): Promise<CreateInvitationReply> {
    return this.#calls.json(endpoints.createInvitation, { body });
  }

  /** Lists the open invitations. It needs a person with the role admin. */
  async invitations(): Promise<Invitation[]> {
    return (await this.#calls.json(endpoints.listInvitations, {})).invitations;
  }

  /** Revokes an invitation: its link stops working. */
  async revokeInvitation(id: string): Promise<void> {
    await this.#calls.remove(endpoints.revokeInvitation, id);
  }
}
