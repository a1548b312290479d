#pragma once

// The entry point of the front as scripts/build links it on x86-64. It starts the full program at once
// unless the command is `token`: before relocation and the Swift runtime, which take a millisecond. For
// `token`, it connects to the session bus and sends the first message, so that the keyring's answer is
// there when the group file is open. Anything that it cannot do, it leaves to the front.
void tv_start(void);

// The connection on which the first message was sent, or -1. The runtime has not touched it yet.
int tv_bus_socket(void);

// The path of that connection's socket, which no zero byte ends.
const char *tv_bus_path(unsigned long *length);

// At least the size of the first message.
enum { TV_FIRST_MESSAGE = 600 };

// Writes the first message of a conversation with the keyring. Returns its size, and 0 where the front
// has no early instructions.
unsigned long tv_first_message(char buffer[TV_FIRST_MESSAGE]);
