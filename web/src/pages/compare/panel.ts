import type { ComponentType } from "preact";
import type { PageProps } from "../../page.ts";
import type { CompareAddress } from "./compare-address.ts";
import type { Compared } from "./use-compared.ts";

/** Properties of a panel of the comparison. */
export interface PanelProps extends PageProps {
  compared: Compared;
  /** The state in the address; `asked` has the query, if there is one. */
  address: CompareAddress;
}

export interface ComparePanel {
  title: string;
  /** Whether it asks about all experiments of the organization, which guests may not. */
  isForMembers?: true;
  Panel: ComponentType<PanelProps>;
}
