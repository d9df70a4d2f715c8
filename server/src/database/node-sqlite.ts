// The only import of node:sqlite: its class will be renamed (DatabaseSync to Database, DEP0210).
export {
  backup as backupSqlite,
  DatabaseSync as SqliteConnection,
  type StatementSync as SqliteStatement,
} from "node:sqlite";
