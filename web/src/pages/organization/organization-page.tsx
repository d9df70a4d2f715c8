import type { Role } from "@lossless/protocol";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { isAtLeast } from "../../rights.ts";
import type { Service } from "../../signed-in.ts";

/** The pages of the organization, with the least role that may see them. */
const parts: readonly { name: string; path: string; least: Role }[] = [
  { name: "People", path: "/organization/people", least: "viewer" },
  { name: "Keys", path: "/organization/keys", least: "viewer" },
  { name: "Tokens", path: "/organization/tokens", least: "viewer" },
  { name: "Guest links", path: "/organization/guests", least: "member" },
  { name: "Sign-on", path: "/organization/sign-on", least: "admin" },
  { name: "Locations", path: "/organization/locations", least: "viewer" },
  { name: "Connections", path: "/organization/connections", least: "viewer" },
  { name: "Usage", path: "/organization/usage", least: "viewer" },
  { name: "Trash", path: "/organization/trash", least: "viewer" },
  { name: "Rules", path: "/organization/rules", least: "viewer" },
  { name: "Audit", path: "/organization/audit", least: "admin" },
];

interface Props {
  name: string;
  service: Service;
  /** The page, or a sentence where the role may not see it. */
  children: ComponentChildren;
}

/** The frame of each page of the organization. */
export function OrganizationPage({ name, service, children }: Props) {
  const { organization, role } = service.session;
  useEffect(() => {
    document.title = `${name} · ${organization?.name ?? ""} · Lossless`;
  }, [name, organization?.name]);
  const part = parts.find((one) => one.name === name)!;
  return (
    <main class="settings">
      <nav class="tabs" aria-label="Organization pages">
        {parts
          .filter(({ least }) => isAtLeast(role, least))
          .map((one) => (
            <a key={one.path} href={one.path} aria-current={one.name === name ? "page" : undefined}>
              {one.name}
            </a>
          ))}
      </nav>
      <h1>{name}</h1>
      {isAtLeast(role, part.least) ? (
        children
      ) : (
        <p>
          This page needs the role {part.least}. Your role is {role}.
        </p>
      )}
    </main>
  );
}
