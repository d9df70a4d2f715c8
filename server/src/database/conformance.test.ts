import { onEachDatabase } from "./test-databases.ts";
import { databaseConformance } from "./conformance.ts";

onEachDatabase((database) => databaseConformance(database.open));
