import type { PageLocation } from "./location.ts";
import type { Service } from "./signed-in.ts";

/** What every page works with. */
export interface PageProps {
  service: Service;
  location: PageLocation;
}

/** And what its path names, where it names something. */
export interface PathProps extends PageProps {
  id: string;
}
