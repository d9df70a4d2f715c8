import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { OrganizationMenu } from "./organization-menu.tsx";
import { messageOf } from "./parts/words.ts";
import { sections } from "./routes.tsx";
import type { Service } from "./signed-in.ts";
import { leaveTo } from "./base-path.ts";

interface Props {
  service: Service;
  /** The page's entry in the navigation. */
  section: string | undefined;
}

export function Header({ service, section }: Props) {
  const { person, organization, role } = service.session;
  const [problem, setProblem] = useState<string>();
  const nav = useRef<HTMLElement>(null);
  // A narrow screen shows a part of it: the one with the current page.
  useLayoutEffect(() => {
    const { current } = nav;
    const link = current?.querySelector<HTMLElement>("[aria-current]");
    if (!current || !link) return;
    const end = link.offsetLeft + link.offsetWidth - current.offsetLeft;
    current.scrollLeft = end - current.clientWidth;
  }, [section]);
  const signOut = async () => {
    try {
      await service.client.account.signOut();
      leaveTo("/sign-in");
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <header class="bar">
      <a class="brand" href="/experiments" aria-label="Lossless">
        <Mark /> <span>Lossless</span>
      </a>
      {organization !== null && (
        <nav aria-label="Pages" ref={nav}>
          {Object.entries(sections).map(([name, path]) => (
            <a key={name} href={path} aria-current={section === name ? "page" : undefined}>
              {name}
            </a>
          ))}
        </nav>
      )}
      <span class="who">
        <OrganizationMenu service={service} />
        {role === "viewer" && (
          <span class="mark" title="Your role is viewer. An owner or admin can change it.">
            read only
          </span>
        )}
        <a
          class="person"
          href="/account"
          aria-label={`Account of ${person.email}`}
          aria-current={section === "Account" ? "page" : undefined}
        >
          {person.email}
        </a>
        <button type="button" class="quiet" onClick={() => void signOut()}>
          Sign out
        </button>
        {problem !== undefined && <span role="alert">{problem}</span>}
      </span>
    </header>
  );
}

/** The logo: a loss curve that reaches its floor. */
function Mark() {
  return (
    <svg width="22" height="22" viewBox="0 0 28 28" fill="none" aria-hidden="true">
      <rect x="1" y="1" width="26" height="26" rx="7" stroke="currentColor" stroke-width="2" />
      <path
        d="M6 7c2 9 6 13 16 13"
        stroke="currentColor"
        stroke-width="2.5"
        stroke-linecap="round"
      />
      <circle cx="22" cy="20" r="2.2" fill="currentColor" />
    </svg>
  );
}
