import type { GroupRole, SetSignOnBody } from "@lossless/client";

/** The body of `PUT /provider` of what the form has; the service says what is wrong with it. */
export function signOnBody(form: Pick<FormData, "get" | "getAll">): SetSignOnBody {
  const text = (field: string) => textOf(form.get(field));
  const isPublic = form.get("publicClient") !== null;
  // Left out, the one that is stored stays.
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

/** Without the spaces that come with what is pasted. */
function textOf(value: FormDataEntryValue | null): string {
  return typeof value === "string" ? value.trim() : "";
}

function words(text: string): string[] {
  return text.split(/[\s,;]+/).filter((word) => word !== "");
}
