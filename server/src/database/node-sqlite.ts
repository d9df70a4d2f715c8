// The only import of node:sqlite: its class is about to be renamed (DatabaseSync becomes Database,
// DEP0210).
export {
  DatabaseSync as SqliteConnection,
  type StatementSync as SqliteStatement,
} from "node:sqlite";
