#if defined(__x86_64__)

#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "Early.h"

// The start of the executable, from the linker.
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

enum { PAGE = 4096 };

// Only the part that is read-only after relocation: each of its pages has pointers, and those of the
// variables behind it are few.
EARLY void tv_bring_relocated_pages(void) {
#ifdef MADV_POPULATE_WRITE
  const char *base = (const char *)&__ehdr_start;
  const ElfW(Phdr) *headers = (const ElfW(Phdr) *)(base + __ehdr_start.e_phoff);
  for (int i = 0; i < __ehdr_start.e_phnum; i++) {
    if (headers[i].p_type != PT_GNU_RELRO) continue;
    unsigned long first = (unsigned long)base + headers[i].p_vaddr;
    unsigned long end = first + headers[i].p_memsz;
    first -= first % PAGE;
    // A kernel before 5.14 refuses it, and the pages come one by one.
    system_call(SYS_madvise, (long)first, (long)(end - first), MADV_POPULATE_WRITE);
  }
#endif
}

#endif
