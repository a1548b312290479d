#include "PrototypeCheck.h"

#include <gio/gio.h>
#include <libsecret/secret.h>

#define TV_ENUM(name) name
#define TV_INSTANCE GTypeInstance
#include "../../Sources/TokenVaultCSecretService/Prototypes.h"

// A prototype that differs from the one in the installed header does not compile.
#define CHECK(result, name, arguments) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(name), result arguments), #name);
#undef g_object_unref  // A macro that keeps the type; dlsym finds the function.
#undef g_hash_table_insert
TV_FUNCTIONS(CHECK)

_Static_assert(offsetof(object_class, constructor) == offsetof(GObjectClass, constructor), "");

// An enum with a negative value would be passed as int, not as unsigned.
#define UNSIGNED(name) _Static_assert((name)-1 > (name)0, #name);
UNSIGNED(SecretCollectionFlags)
UNSIGNED(SecretItemCreateFlags)
UNSIGNED(GDBusConnectionFlags)
UNSIGNED(GTypeFlags)

_Static_assert(SECRET_ERROR_LOCKED == (int)SECRET_ERROR_IS_LOCKED, "");
_Static_assert(IO_ERROR_CLOSED == (int)G_IO_ERROR_CLOSED, "");
_Static_assert(IO_ERROR_CANCELLED == (int)G_IO_ERROR_CANCELLED, "");
_Static_assert(IO_ERROR_TIMED_OUT == (int)G_IO_ERROR_TIMED_OUT, "");
_Static_assert(DBUS_ERROR_SERVICE_UNKNOWN == (int)G_DBUS_ERROR_SERVICE_UNKNOWN, "");
_Static_assert(DBUS_ERROR_NAME_HAS_NO_OWNER == (int)G_DBUS_ERROR_NAME_HAS_NO_OWNER, "");
_Static_assert(DBUS_ERROR_NO_REPLY == (int)G_DBUS_ERROR_NO_REPLY, "");
_Static_assert(
    (CONNECT_AS_CLIENT | CONNECT_TO_BUS) == (int)(G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                                  G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION),
    "");

int tv_prototypes_match(void) { return 1; }
