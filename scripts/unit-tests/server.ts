/** The tests beside the code of the server, on SQLite; scripts/test.ts runs them as one suite. */
import { importTests } from "./import-tests.ts";

process.env.LOSSLESS_TEST_BACKENDS ??= "sqlite";
await importTests("server");
