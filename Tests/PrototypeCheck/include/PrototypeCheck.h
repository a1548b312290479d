#pragma once

/// 1: that it compiled is the proof.
int tv_prototypes_match(void);
int tv_curl_prototypes_match(void);
