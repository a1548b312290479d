#pragma once
#include <sqlite3.h>

// Swift cannot import SQLITE_TRANSIENT, which casts -1 to a function pointer.
static inline int tv_sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline void tv_sqlite3_persist_wal(sqlite3 *database) {
  int on = 1;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_PERSIST_WAL, &on);
}

// Swift cannot import sqlite3_db_config, which is variadic.
static inline void tv_sqlite3_harden(sqlite3 *database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
}
