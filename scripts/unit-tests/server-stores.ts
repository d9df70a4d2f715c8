/** Tests of the rooms that use object stores; scripts/test.ts runs them as one suite. */
import { importTests, storeRooms } from "./import-tests.ts";

process.env.LOSSLESS_TEST_BACKENDS ??= "sqlite";
await importTests(storeRooms);
