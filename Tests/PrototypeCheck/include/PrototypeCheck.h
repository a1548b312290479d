#pragma once

/// 1: that it compiled is the proof.
int tv_prototypes_match(void);
