#pragma once
#include <stdbool.h>
#include <stdint.h>

/// The name of the SQLite VFS of this module: the one of Unix, with five differences.
/// - A sync that a signal interrupts is repeated. SQLite reports it as a failure of the disk.
/// - A read that the disk refuses (EIO) is an error of reading. SQLite reports it as a damaged file.
/// - The log grows by more than a commit, so that most commits need not sync its length.
/// - The index of the log is emptied by zeros; SQLite shortens the file and lengthens it again.
/// - A thread can name the file that it expects to open; see tv_vfs_expect.
#define TV_VFS_NAME "tokenvault"

/// Registers the VFS, once. Returns an SQLite result code.
int tv_vfs_register(void);

/// Names the file that this thread opens next as a main database. Any other file at its path, one
/// that took its place after it was checked, is not opened (SQLITE_CANTOPEN).
void tv_vfs_expect(uint64_t device, uint64_t inode);

/// Ends the expectation of this thread. Returns whether another file was found.
bool tv_vfs_found_other(void);
