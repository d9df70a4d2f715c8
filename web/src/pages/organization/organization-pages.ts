/** One script for all of these pages: visitors of one usually open others. */
export { AuditPage } from "./audit-page.tsx";
export { ConnectionsPage } from "./connections-page.tsx";
export { GuestsPage } from "./guests-page.tsx";
export { KeysPage } from "./keys-page.tsx";
export { LocationsPage } from "./locations-page.tsx";
export { PeoplePage } from "./people-page.tsx";
export { RulesPage } from "./rules-page.tsx";
export { SignOnPage } from "./sign-on-page.tsx";
export { TokensPage } from "./tokens-page.tsx";
export { TrashPage } from "./trash-page.tsx";
export { UsagePage } from "./usage-page.tsx";
