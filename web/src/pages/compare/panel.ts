import type { Signal } from "@preact/signals";
import type { ComponentType } from "preact";
import type { Pointed } from "../../chart/cursor/board.ts";
import type { PageProps } from "../../page.ts";
import type { CompareAddress } from "./compare-address.ts";
import type { Compared } from "./use-compared.ts";

type Parameter = (name: string) => string | undefined;

/** Properties of a panel of the comparison. */
export interface PanelProps extends PageProps {
  compared: Compared;
  /** The state in the address; `asked` has the query, if there is one. */
  address: CompareAddress;
  /** The experiments whose row of the list, or whose line of a chart, is pointed at. */
  pointed: Signal<Pointed | undefined>;
}

export interface ComparePanel {
  title: string;
  /** Whether it asks about all experiments of the organization, which guests may not. */
  isForMembers?: true;
  /** The parameters that open it, for who goes to it; undefined: it is open. */
  opening?: (parameter: Parameter) => Record<string, string | undefined> | undefined;
  Panel: ComponentType<PanelProps>;
}
