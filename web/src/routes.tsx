import type { LoadablePage } from "./page.ts";
import { ExperimentPage } from "./pages/experiment/experiment-page.tsx";
import { ExperimentsPage } from "./pages/experiments/experiments-page.tsx";
import type * as OrganizationPages from "./pages/organization/organization-pages.ts";
import { SlugPage } from "./pages/slug-page.tsx";

/** A page with the pattern of its path, and its entry in the navigation. */
export interface PageRoute {
  path: string;
  section: keyof typeof sections | "Account";
  page: LoadablePage;
}

/** Entries of the navigation, and their addresses. */
export const sections = {
  Experiments: "/experiments",
  Compare: "/compare",
  Artifacts: "/artifacts",
  Reports: "/reports",
  Organization: "/organization/people",
} as const;

/** Pages of the organization are one script: visitors of one usually open others. */
const organization = (name: keyof typeof OrganizationPages) => ({
  load: () => import("./pages/organization/organization-pages.ts").then((pages) => pages[name]),
});

/** All pages; the service has a row for each in its table of endpoints. */
export const routes: readonly PageRoute[] = [
  { path: "/experiments", section: "Experiments", page: ExperimentsPage },
  { path: "/experiments/{id}", section: "Experiments", page: ExperimentPage },
  {
    path: "/compare",
    section: "Compare",
    page: {
      load: () => import("./pages/compare/compare-page.tsx").then(({ ComparePage }) => ComparePage),
    },
  },
  {
    path: "/reports",
    section: "Reports",
    page: {
      load: () => import("./pages/reports/reports-page.tsx").then(({ ReportsPage }) => ReportsPage),
    },
  },
  {
    path: "/reports/{id}",
    section: "Reports",
    page: {
      load: () => import("./pages/reports/report-page.tsx").then(({ ReportPage }) => ReportPage),
    },
  },
  { path: "/go", section: "Experiments", page: SlugPage },
  {
    path: "/artifacts",
    section: "Artifacts",
    page: {
      load: async () => (await import("./pages/artifacts/artifacts-page.tsx")).ArtifactsPage,
    },
  },
  {
    path: "/artifact",
    section: "Artifacts",
    page: { load: async () => (await import("./pages/artifact/artifact-page.tsx")).ArtifactPage },
  },
  {
    path: "/models",
    section: "Artifacts",
    page: { load: async () => (await import("./pages/models/model-pages.ts")).ModelsPage },
  },
  {
    path: "/model",
    section: "Artifacts",
    page: { load: async () => (await import("./pages/models/model-pages.ts")).ModelPage },
  },
  {
    path: "/lineage",
    section: "Artifacts",
    page: { load: async () => (await import("./pages/lineage/lineage-page.tsx")).LineagePage },
  },
  { path: "/organization/people", section: "Organization", page: organization("PeoplePage") },
  { path: "/organization/keys", section: "Organization", page: organization("KeysPage") },
  { path: "/organization/tokens", section: "Organization", page: organization("TokensPage") },
  { path: "/organization/guests", section: "Organization", page: organization("GuestsPage") },
  { path: "/organization/sign-on", section: "Organization", page: organization("SignOnPage") },
  { path: "/organization/locations", section: "Organization", page: organization("LocationsPage") },
  {
    path: "/organization/connections",
    section: "Organization",
    page: organization("ConnectionsPage"),
  },
  { path: "/organization/usage", section: "Organization", page: organization("UsagePage") },
  { path: "/organization/trash", section: "Organization", page: organization("TrashPage") },
  { path: "/organization/rules", section: "Organization", page: organization("RulesPage") },
  { path: "/organization/audit", section: "Organization", page: organization("AuditPage") },
  {
    path: "/account",
    section: "Account",
    page: {
      load: () => import("./pages/account/account-page.tsx").then(({ AccountPage }) => AccountPage),
    },
  },
];
