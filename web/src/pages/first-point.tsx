import type { Service } from "../signed-in.ts";
import { firstPrograms } from "./first-programs.ts";
import { Programs } from "./programs.tsx";
import { serviceUrl } from "../base-path.ts";

/** Shown in an organization without experiments: how to record the first one. */
export function FirstPoint({ service }: { service: Service }) {
  return (
    <main class="first">
      <h1>Record a first experiment</h1>
      <p>
        Nothing is recorded here yet. With a key a program records from any machine that reaches
        this address; this page turns into the table when its first experiment comes.
      </p>
      <Programs
        service={service}
        keyName="first recording"
        programs={(key) => firstPrograms(serviceUrl(), key)}
      />
    </main>
  );
}
