import { useState } from "preact/hooks";
import type { PageLocation } from "../../../location.ts";
import { countedText, countText } from "../../../parts/words.ts";
import type { Fact } from "./captured.ts";

interface Props {
  packages: readonly Fact[];
  /** Packages that the run had no room for. */
  leftOut: number;
  location: PageLocation;
}

/** Packages laid out at most; a search finds the others. */
const packagesShown = 1_000;

/** Installed packages, closed at first. */
export function PackagesCard({ packages, leftOut, location }: Props) {
  const wanted = location.parameter("package") ?? "";
  const [isOpen, setIsOpen] = useState(wanted !== "");
  if (packages.length === 0) return null;
  const found = packages.filter(({ name, text }) =>
    `${name} ${text}`.toLowerCase().includes(wanted.trim().toLowerCase()),
  );
  return (
    <section class="card" aria-label="Packages">
      <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>
          Packages <span class="count">{countText(packages.length)}</span>
        </summary>
        {isOpen && (
          <>
            <input
              type="search"
              aria-label="Search packages"
              placeholder="Search packages"
              value={wanted}
              onInput={({ currentTarget: { value } }) =>
                location.change({ package: value, tab: "overview" })
              }
            />
            <ul class="packages" tabIndex={0} aria-label="Packages by name">
              {found.slice(0, packagesShown).map(({ name, text }) => (
                <li key={name}>
                  <span>{name}</span> <span class="version">{text}</span>
                </li>
              ))}
            </ul>
            {leftOut > 0 && (
              <p class="count">{countedText(leftOut, "more package")} had no room in the meta.</p>
            )}
            {found.length === 0 && <p class="count">No package matches.</p>}
            {found.length > packagesShown && (
              <p class="count">
                Showing the first {countText(packagesShown)} of {countText(found.length)}. Search to
                find the others.
              </p>
            )}
          </>
        )}
      </details>
    </section>
  );
}
