import { organizations, type Service } from "../service.ts";
import { OrganizationCaller, targetOf } from "../contract/callers.ts";
import { fillAcme, type Things } from "../contract/every-operation/of-acme.ts";
import { signIn } from "../contract/people.ts";

/** One of everything that can be read, and what its owner and its identity provider show. */
export interface Acme {
  things: Things;
  owner: string;
  scim: string;
}

export async function fillForReads(service: Service): Promise<Acme> {
  const target = targetOf(service);
  const acme = new OrganizationCaller(target, organizations.acme.key);
  const { things, scim } = await fillAcme(Object.assign(target, { acme }));
  return { things, scim, owner: await signIn(target, "ada") };
}
