/** Everything of groups that a chart loads with the first of them. */
export { foundLines, foundText, groupsRequest, membersRequest } from "./found-groups.ts";
export { groupsAddress } from "./group-address.ts";
export { groupLines } from "./group-lines.ts";
export { groupRows } from "./group-rows.ts";
export { MemberList } from "./member-list.tsx";
