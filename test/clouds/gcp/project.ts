import type { JSONWebKeySet } from "jose";

/** One provider of a workload identity pool: whose tokens it takes, and which of them. */
export interface Provider {
  issuer: string;
  /** Uploaded keys; where there are none, they are fetched from the issuer for each token. */
  keys?: JSONWebKeySet;
  allowedAudiences: readonly string[];
  /** `google.subject=assertion.sub`. */
  attributeMapping: Readonly<Record<string, string>>;
  /** In Google's own language; this double knows comparisons of the subject alone. */
  attributeCondition: string;
}

export interface Binding {
  role: string;
  member: string;
  /** As CEL; this double knows `resource.name.startsWith("…")`, alone or joined by `||`. */
  condition?: string;
}

/** A project as a setup script makes it. Everything that is not allowed in it is forbidden. */
export class GoogleProject {
  readonly projectId: string;
  readonly projectNumber: string;
  readonly pools = new Set<string>();
  /** By `pool/provider`. */
  readonly providers = new Map<string, Provider>();
  /** Who may act for a service account, by its address. */
  readonly accounts = new Map<string, Binding[]>();
  readonly bindings: Binding[] = [];
  /** Permissions of the project's own roles, by their full name. */
  readonly roles = new Map<string, readonly string[]>();
  readonly services = new Set<string>();

  constructor(projectId: string, projectNumber: string) {
    this.projectId = projectId;
    this.projectNumber = projectNumber;
  }

  mayOnAccount(member: string, account: string, permission: string): boolean {
    const bindings = this.accounts.get(account) ?? [];
    return bindings.some((one) => one.member === member && this.#has(one.role, permission));
  }

  /**
   * `resource` is the name that conditions see: `projects/_/buckets/NAME`, with `/objects/KEY`
   * behind it, and the project itself where a bucket is to be made.
   */
  may(member: string, resource: string, permission: string): boolean {
    return this.bindings.some(
      (one) =>
        one.member === member &&
        this.#has(one.role, permission) &&
        (one.condition === undefined || isMet(one.condition, resource)),
    );
  }

  #has(role: string, permission: string): boolean {
    const known = predefined[role];
    if (known !== undefined) return known.test(permission);
    return this.roles.get(role)?.includes(permission) === true;
  }
}

const predefined: Readonly<Record<string, RegExp>> = {
  "roles/iam.serviceAccountTokenCreator":
    /^iam\.serviceAccounts\.(getAccessToken|getOpenIdToken|implicitDelegation|signBlob|signJwt)$/,
  "roles/iam.workloadIdentityUser": /^iam\.serviceAccounts\.(getAccessToken|getOpenIdToken)$/,
  "roles/storage.admin": /^storage\./,
  "roles/storage.objectAdmin": /^storage\.(objects|multipartUploads|folders|managedFolders)\./,
};

function isMet(condition: string, resource: string): boolean {
  return condition.split("||").some((term) => {
    const [, quote, prefix] =
      /^\s*\(?resource\.name\.startsWith\((["'])([^"']*)["']\)\)?\s*$/.exec(term) ?? [];
    if (quote === undefined || prefix === undefined)
      throw new Error(`the double does not know the condition ${term}`);
    return resource.startsWith(prefix);
  });
}

/** Whether an attribute condition lets a subject in. */
export function letsIn(condition: string, subject: string): boolean {
  const [, , wanted] = /^\s*assertion\.sub\s*==\s*(["'])([^"'\\]*)\1\s*$/.exec(condition) ?? [];
  if (wanted === undefined) throw new Error(`the double does not know the condition ${condition}`);
  return wanted === subject;
}
