import type { ComponentType } from "preact";
import type { PageProps } from "../../page.ts";
import type { CompareAddress } from "./compare-address.ts";
import type { Compared } from "./use-compared.ts";

/** What a part of the comparison is drawn from. */
export interface PanelProps extends PageProps {
  compared: Compared;
  /** What the address says; `asked` has the query, if there is one. */
  address: CompareAddress;
}

export interface ComparePanel {
  title: string;
  Panel: ComponentType<PanelProps>;
}
