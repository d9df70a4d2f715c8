/** Parts of the table that load when they are first used. */
export { CellMenu } from "./cell-menu.tsx";
export { RenameField } from "./rename-field.tsx";
