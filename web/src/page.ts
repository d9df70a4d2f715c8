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
