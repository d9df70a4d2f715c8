import type { ComponentType } from "preact";
import type { PageLocation } from "./location.ts";
import type { Service } from "./signed-in.ts";

/** Properties of every page. */
export interface PageProps {
  service: Service;
  location: PageLocation;
}

/** Properties of a page whose path contains an id. */
export interface PathProps extends PageProps {
  id: string;
}

/** A page, or a part of one that few visits begin with: a script of its own, loaded when opened. */
export type LoadablePage =
  | ComponentType<PathProps>
  | { load: () => Promise<ComponentType<PathProps>> };
