#pragma once
#include <sqlite3.h>
#include <stdint.h>

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

// The header of the index of the write-ahead log: 48 bytes, which each commit and each reset of the
// log changes, in whatever process (https://www.sqlite.org/walformat.html, section 2.1).
typedef struct {
  uint64_t words[6];
} tv_wal_header;

// SQLite's own mapping of the index, which is valid while the connection is open; NULL if there is
// none. The connection must be in WAL mode.
static inline const void *tv_sqlite3_wal_index(sqlite3 *database) {
  enum { index_page = 32768 };
  sqlite3_file *file = 0;
  void volatile *index = 0;
  if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file
      || !file->pMethods || file->pMethods->iVersion < 2
      || file->pMethods->xShmMap(file, 0, index_page, 0, &index) != SQLITE_OK)
    return 0;
  return (const void *)index;
}

// Reads the header. Returns 0 while a process, this one included, changes it, or if it has another
// format than this function knows. SQLite writes the second copy before the first, so two equal copies
// are whole. ThreadSanitizer would report the overlap as a race, although the comparison of the copies
// handles it.
__attribute__((no_sanitize("thread")))
static inline int tv_wal_header_read(const void *index, tv_wal_header *header) {
  const volatile uint64_t *words = (const volatile uint64_t *)index;
  for (int i = 0; i < 6; i++) header->words[i] = words[i];
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  uint64_t difference = 0;
  for (int i = 0; i < 6; i++) difference |= header->words[i] ^ words[6 + i];
  return difference == 0 && (uint32_t)header->words[0] == 3007000;
}

__attribute__((no_sanitize("thread")))
static inline int tv_wal_header_is(const void *index, const tv_wal_header *known) {
  tv_wal_header header;
  if (!tv_wal_header_read(index, &header)) return 0;
  uint64_t difference = 0;
  for (int i = 0; i < 6; i++) difference |= header.words[i] ^ known->words[i];
  return difference == 0;
}
