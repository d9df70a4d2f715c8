import { onEachDatabase } from "./databases.fixture.ts";
import { databaseConformance } from "./conformance.fixture.ts";

onEachDatabase((database) => databaseConformance(database.open));
