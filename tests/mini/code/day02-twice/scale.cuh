#pragma once

__device__ inline float scaled(float x) { return 2.0f * x; }
