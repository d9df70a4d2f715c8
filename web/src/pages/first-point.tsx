import type { Service } from "../signed-in.ts";
import { firstPrograms } from "./first-programs.ts";
import { Programs } from "./programs.tsx";
import { serviceUrl } from "../base-path.ts";

/** Shown in an organization without experiments: how to record the first one. */
export function FirstPoint({ service }: { service: Service }) {
  return (
    <main class="first">
      <h1>Record your first experiment</h1>
      <p>
        Nothing has been recorded in this organization yet. With a key, a program can record from
        any machine that reaches this address. The table appears here with the first experiment.
      </p>
      <Programs
        service={service}
        keyName="first recording"
        programs={(key) => firstPrograms(serviceUrl(), key)}
      />
    </main>
  );
}
