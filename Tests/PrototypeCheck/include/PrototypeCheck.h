#pragma once

/// Both return 1; the check is that they compile.
int tv_prototypes_match(void);
int tv_curl_prototypes_match(void);
