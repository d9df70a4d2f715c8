/** The tests beside the code of the server; scripts/test.ts runs them as one suite. */
import { importTests } from "./import-tests.ts";

await importTests("server");
