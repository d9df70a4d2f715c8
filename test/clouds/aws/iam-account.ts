import type { XmlTree } from "../../stores/double/xml.ts";
import { readPolicy, type Policy } from "./policy.ts";
import { field, QueryError, type Form } from "./query-error.ts";

export interface Provider {
  arn: string;
  url: string;
  clientIds: Set<string>;
}

export interface StoredRole {
  arn: string;
  name: string;
  trustText: string;
  trust: Policy;
  maxSessionSeconds: number;
  policies: Map<string, { text: string; policy: Policy }>;
}

/** The setup script makes this in an AWS account: it stores what it is told and answers as IAM. */
export class IamAccount {
  readonly id: string;
  readonly providers = new Map<string, Provider>();
  readonly roles = new Map<string, StoredRole>();

  constructor(id: string) {
    this.id = id;
  }

  perform(form: Form): XmlTree {
    const action = form.get("Action") ?? "";
    const work = actions[action];
    if (work === undefined) throw new QueryError("InvalidAction", `${action} is not known here.`);
    return work(this, form);
  }
}

const actions: Readonly<Record<string, (account: IamAccount, form: Form) => XmlTree>> = {
  GetCallerIdentity: (account) => ({
    Arn: `arn:aws:iam::${account.id}:user/administrator`,
    UserId: "AIDADOUBLE",
    Account: account.id,
  }),

  CreateOpenIDConnectProvider: (account, form) => {
    const url = field(form, "Url");
    const arn = `arn:aws:iam::${account.id}:oidc-provider/${withoutScheme(url)}`;
    if (account.providers.has(arn))
      throw new QueryError("EntityAlreadyExists", "There is such a provider.", 409);
    const clientIds = new Set(members(form, "ClientIDList"));
    account.providers.set(arn, { arn, url, clientIds });
    return { OpenIDConnectProviderArn: arn };
  },

  GetOpenIDConnectProvider: (account, form) => {
    const { url, clientIds } = providerOf(account, form);
    const ClientIDList = { member: [...clientIds] };
    return { Url: withoutScheme(url), ClientIDList, CreateDate: "2026-01-01T00:00:00Z" };
  },

  AddClientIDToOpenIDConnectProvider: (account, form) => {
    providerOf(account, form).clientIds.add(field(form, "ClientID"));
    return {};
  },

  CreateRole: (account, form) => {
    const name = field(form, "RoleName");
    if (account.roles.has(name))
      throw new QueryError("EntityAlreadyExists", "There is such a role.", 409);
    const role: StoredRole = {
      arn: `arn:aws:iam::${account.id}:role/${name}`,
      name,
      ...trustOf(form, "AssumeRolePolicyDocument"),
      maxSessionSeconds: sessionSeconds(form),
      policies: new Map(),
    };
    account.roles.set(name, role);
    return { Role: shown(role) };
  },

  GetRole: (account, form) => ({ Role: shown(roleOf(account, form)) }),

  UpdateRole: (account, form) => {
    roleOf(account, form).maxSessionSeconds = sessionSeconds(form);
    return {};
  },

  UpdateAssumeRolePolicy: (account, form) => {
    Object.assign(roleOf(account, form), trustOf(form, "PolicyDocument"));
    return {};
  },

  PutRolePolicy: (account, form) => {
    const text = field(form, "PolicyDocument");
    const policy = read(text);
    roleOf(account, form).policies.set(field(form, "PolicyName"), { text, policy });
    return {};
  },
};

export function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, "");
}

function providerOf(account: IamAccount, form: Form): Provider {
  const found = account.providers.get(field(form, "OpenIDConnectProviderArn"));
  if (found === undefined) throw new QueryError("NoSuchEntity", "There is no such provider.", 404);
  return found;
}

function roleOf(account: IamAccount, form: Form): StoredRole {
  const found = account.roles.get(field(form, "RoleName"));
  if (found === undefined) throw new QueryError("NoSuchEntity", "There is no such role.", 404);
  return found;
}

function trustOf(form: Form, name: string): Pick<StoredRole, "trustText" | "trust"> {
  const trustText = field(form, name);
  return { trustText, trust: read(trustText) };
}

function read(text: string): Policy {
  try {
    return readPolicy(text);
  } catch (error) {
    throw new QueryError("MalformedPolicyDocument", String(error));
  }
}

function sessionSeconds(form: Form): number {
  const seconds = Number(form.get("MaxSessionDuration") ?? "3600");
  if (!(seconds >= 3_600 && seconds <= 43_200))
    throw new QueryError("ValidationError", "MaxSessionDuration");
  return seconds;
}

/** `ClientIDList.member.1` and so on. */
function members(form: Form, name: string): string[] {
  return [...form].filter(([key]) => key.startsWith(`${name}.member.`)).map(([, value]) => value);
}

function shown({ arn, name, trustText, maxSessionSeconds }: StoredRole): XmlTree {
  return {
    Path: "/",
    RoleName: name,
    RoleId: "AROADOUBLE",
    Arn: arn,
    CreateDate: "2026-01-01T00:00:00Z",
    AssumeRolePolicyDocument: encodeURIComponent(trustText),
    MaxSessionDuration: maxSessionSeconds,
  };
}
