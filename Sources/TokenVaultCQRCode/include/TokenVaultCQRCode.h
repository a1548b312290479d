#pragma once
#include <stdbool.h>
#include <stddef.h>

// QR codes from libqrencode, which is loaded at the first use. Call from one thread only.

/// Loads libqrencode. Returns whether it is available.
bool tv_qr_library(void);
/// Writes one byte per module, row by row; 1 is dark. Returns the number of modules per side; 0 if
/// the text cannot be encoded or the code needs more than `room` bytes.
int tv_qr_encode(const char *text, unsigned char *modules, size_t room);
