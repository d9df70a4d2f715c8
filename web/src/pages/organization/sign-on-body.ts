import type { GroupRole, SetSignOnBody } from "@lossless/client";

/** The body of `PUT /provider`; the service validates it. */
export function signOnBody(form: Pick<FormData, "get" | "getAll">): SetSignOnBody {
  const text = (field: string) => textOf(form.get(field));
  const isPublic = form.get("publicClient") !== null;
  // If absent, the stored secret stays.
  const secret = text("clientSecret");
  const scopes = words(text("scopes")).join(" ");
  const groups = form.getAll("group").map(textOf);
  const roles = form.getAll("groupRole").map(textOf);
  return {
    name: text("name"),
    issuer: text("issuer"),
    clientId: text("clientId"),
    domains: words(text("domains")),
    ...(isPublic ? { clientSecret: null } : secret !== "" && { clientSecret: secret }),
    ...(scopes !== "" && { scopes }),
    groupsClaim: text("groupsClaim") || null,
    roles: groups
      .map((group, at) => ({ group, role: roles[at] as GroupRole["role"] }))
      .filter(({ group }) => group !== ""),
    defaultRole: (text("defaultRole") || null) as GroupRole["role"] | null,
    forced: form.get("forced") !== null,
  };
}

/** The text of a field, trimmed, as pasted text may have spaces at its ends. */
function textOf(value: FormDataEntryValue | null): string {
  return typeof value === "string" ? value.trim() : "";
}

function words(text: string): string[] {
  return text.split(/[\s,;]+/).filter((word) => word !== "");
}
