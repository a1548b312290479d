#pragma once

// Functions that Swift cannot import from the C library.

/// Gives the file `to` the extended attributes of the file `from`, and takes away any others; -1 with errno. Those of security modules stay as they are. A file
/// system without extended attributes has none.
int tv_copy_extended_attributes(int from, int to);
/// renameat2(RENAME_EXCHANGE): exchanges the names of two files; EINVAL if the file system cannot.
int tv_exchange_files(const char *one, const char *other);
