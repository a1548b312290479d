#include "CSecretService.h"
