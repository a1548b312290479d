#pragma once
#include <stdbool.h>
#include <stddef.h>

// QR codes by libqrencode, which is loaded when the first one is drawn. Used by one thread.

/// Whether libqrencode can be loaded; it is, then.
bool tv_qr_library(void);
/// Writes one byte for each module, row by row, 1 for a dark one. Returns the modules of a side; 0
/// where the text has no code, or its code no room.
int tv_qr_encode(const char *text, unsigned char *modules, size_t room);
