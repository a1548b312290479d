#include "TokenVaultCQRCode.h"

#include <dlfcn.h>
#include <sys/auxv.h>

// The part of libqrencode's stable ABI (soname 4) that is used through dlsym.
typedef struct {
  int version;
  int width;
  unsigned char *data;
} QRcode;
enum { ECLEVEL_L = 0, MODE_8 = 2 };

static QRcode *(*p_encode)(const char *, int, unsigned, int, int);
static void (*p_free)(QRcode *);

bool tv_qr_library(void) {
  static void *library;
  // See TokenVaultCSecretService.c: in a static executable dlopen loads a second C library and crashes.
  if (!library && getauxval(AT_BASE) != 0) {
    library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library) {
      p_encode = (__typeof__(p_encode))dlsym(library, "QRcode_encodeString");
      p_free = (__typeof__(p_free))dlsym(library, "QRcode_free");
    }
  }
  return p_encode && p_free;
}

int tv_qr_encode(const char *text, unsigned char *modules, size_t room) {
  if (!tv_qr_library()) return 0;
  QRcode *code = p_encode(text, 0, ECLEVEL_L, MODE_8, 1);
  if (!code) return 0;
  int width = code->width;
  size_t count = (size_t)width * (size_t)width;
  if (count > room) width = 0;
  // The lowest bit of a module is its colour, 1 for dark; the other bits are metadata.
  for (size_t i = 0; width > 0 && i < count; i++) modules[i] = code->data[i] & 1;
  p_free(code);
  return width;
}
