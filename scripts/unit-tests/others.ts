/** The tests beside all code but the server's; scripts/test.ts runs them as one suite. */
import { importTests } from "./import-tests.ts";

await importTests("{protocol,client,cli,web,scripts}");
