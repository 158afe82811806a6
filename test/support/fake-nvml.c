/*
 * A library with the ABI of NVML (nvml.h) that returns the values of the file STATE: lines of `WORD GPU VALUE`, read again at
 * each call. What has no line is not supported. `event GPU TYPE DATA` lines happen once each, in their order.
 * A MIG slice is asked by a number of its own, 100 + 10 * GPU + place: `gi 100 7` is GPU instance 7 of GPU 0.
 * OLD: the names that drivers had before 2013 (without _v2), no fields, no clocks *event* reasons.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int nvmlReturn_t;
typedef struct gpu { int index; } *nvmlDevice_t;
typedef unsigned long long u64;
enum { OK = 0, UNINITIALIZED = 1, INVALID = 2, NOT_SUPPORTED = 3, TIMEOUT = 10, LOST = 15 };
#define EXPORT __attribute__((visibility("default")))

static struct gpu gpus[16] = {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}};
static struct gpu slices[8][7];
static int initialised = 0, inits = 0, happened = 0;

static int look(const char *word, int gpu, u64 *value) {
  FILE *file = fopen(STATE, "r");
  char line[256], name[64], text[64];
  int of, found = 0;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "%63s %d %63s", name, &of, text) == 3 && of == gpu && !strcmp(name, word)) {
      *value = strtoull(text, NULL, 0);
      found = 1;
    }
  if (file) fclose(file);
  return found;
}

static void rest(unsigned milliseconds) {
  struct timespec time = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
  nanosleep(&time, NULL);
}

/* What the library or the GPU answers to anything. */
static nvmlReturn_t standing(nvmlDevice_t gpu) {
  u64 value;
  if (!initialised) return UNINITIALIZED;
  if (look("gone", -1, &value)) return (nvmlReturn_t)value;
  if (gpu && look("lost", gpu->index, &value)) return LOST;
  if (gpu && look("stuck", gpu->index, &value)) rest((unsigned)value);
  return OK;
}

static nvmlReturn_t wide(nvmlDevice_t gpu, const char *word, u64 *out) {
  nvmlReturn_t code = standing(gpu);
  if (code != OK) return code;
  return look(word, gpu->index, out) ? OK : NOT_SUPPORTED;
}
static nvmlReturn_t narrow(nvmlDevice_t gpu, const char *word, unsigned *out) {
  u64 value;
  nvmlReturn_t code = wide(gpu, word, &value);
  if (code == OK) *out = (unsigned)value;
  return code;
}

static nvmlReturn_t init(void) {
  u64 value;
  if (look("init", -1, &value)) return (nvmlReturn_t)value;
  initialised = 1;
  inits++;
  return OK;
}
EXPORT nvmlReturn_t nvmlShutdown(void) { initialised = 0; return OK; }
EXPORT nvmlReturn_t nvmlSystemGetDriverVersion(char *out, unsigned length) {
  snprintf(out, length, "550.54.15");
  return OK;
}
static nvmlReturn_t count(unsigned *out) {
  u64 value = 0;
  look("count", -1, &value);
  *out = (unsigned)value;
  return standing(NULL);
}
static nvmlReturn_t handle(unsigned index, nvmlDevice_t *out) { *out = &gpus[index]; return standing(NULL); }
static nvmlReturn_t reasons(nvmlDevice_t gpu, u64 *out) { return wide(gpu, "reasons", out); }

typedef struct { nvmlDevice_t gpu; u64 type, data; unsigned instance, compute; } event_t;
static nvmlReturn_t wait_event(event_t *out, unsigned timeout, int has_instance) {
  char line[256];
  u64 type, data;
  int gpu, at = 0, instance;
  nvmlReturn_t code = standing(NULL);
  if (code != OK) return code;
  FILE *file = fopen(STATE, "r");
  while (file && fgets(line, sizeof line, file)) {
    instance = -1;
    if (sscanf(line, "event %d %llu %llu %d", &gpu, &type, &data, &instance) < 3 || at++ < happened) continue;
    fclose(file);
    happened = at;
    out->gpu = &gpus[gpu];
    out->type = type;
    out->data = data;
    if (has_instance) out->instance = (unsigned)instance;
    return OK;
  }
  if (file) fclose(file);
  rest(timeout);
  return TIMEOUT;
}

#ifdef OLD
EXPORT nvmlReturn_t nvmlInit(void) { return init(); }
EXPORT nvmlReturn_t nvmlDeviceGetCount(unsigned *out) { return count(out); }
EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t *out) { return handle(index, out); }
EXPORT nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t gpu, u64 *out) { return reasons(gpu, out); }
EXPORT nvmlReturn_t nvmlEventSetWait(void *set, event_t *out, unsigned timeout) { return wait_event(out, timeout, 0); }
#else
EXPORT nvmlReturn_t nvmlInit_v2(void) { return init(); }
EXPORT nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *out) { return count(out); }
EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *out) { return handle(index, out); }
EXPORT nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t gpu, u64 *out) { return reasons(gpu, out); }
EXPORT nvmlReturn_t nvmlEventSetWait_v2(void *set, event_t *out, unsigned timeout) { return wait_event(out, timeout, 1); }
/* The older names stay, and crash callers that prefer them. */
EXPORT nvmlReturn_t nvmlInit(void) { abort(); }
EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t *out) { abort(); }
EXPORT nvmlReturn_t nvmlEventSetWait(void *set, event_t *out, unsigned timeout) { abort(); }

typedef struct {
  unsigned field, scope;
  long long timestamp, latency;
  unsigned type;
  nvmlReturn_t code;
  union { double d; unsigned u; unsigned long ul; u64 ull; long long sll; int i; unsigned short us; } value;
} field_t;
EXPORT nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t gpu, int fields, field_t *out) {
  nvmlReturn_t code = standing(gpu);
  for (int at = 0; code == OK && at < fields; at++) {
    char word[32];
    u64 value;
    if (out[at].scope == 0 || out[at].scope == 0xffffffff) snprintf(word, sizeof word, "field-%u", out[at].field);
    else snprintf(word, sizeof word, "field-%u-%u", out[at].field, out[at].scope);
    out[at].code = look(word, gpu->index, &value) ? OK : NOT_SUPPORTED;
    if (out[at].code != OK) continue;
    /* Counters of the real driver are 64 bits wide, temperatures and yes or no 32, margins signed. */
    out[at].type = value > 0xffffffff || out[at].field == 138 ? 3 : out[at].field >= 193 && out[at].field <= 196 ? 5 : 1;
    if (out[at].type == 3) out[at].value.ull = value;
    else if (out[at].type == 5) out[at].value.i = (int)value;
    else out[at].value.u = (unsigned)value;
  }
  return code;
}
typedef struct { unsigned version; u64 total, reserved, free, used; } memory_v2_t;
EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t gpu, memory_v2_t *out) {
  if (out->version != (sizeof(memory_v2_t) | 2u << 24)) return 25;
  nvmlReturn_t code = wide(gpu, "memory", &out->used);
  out->total = gpu->index >= 100 ? 10468982784ull : 85899345920ull;
  return code;
}
EXPORT nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t gpu, unsigned *current, unsigned *pending) {
  *pending = 0;
  return narrow(gpu, "mig", current);
}
EXPORT nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t gpu, unsigned *out) { *out = 7; return standing(gpu); }
EXPORT nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t gpu, unsigned index, nvmlDevice_t *out) {
  u64 instance;
  nvmlDevice_t slice = &slices[gpu->index][index];
  slice->index = 100 + 10 * gpu->index + (int)index;
  *out = slice;
  nvmlReturn_t code = standing(gpu);
  if (code != OK) return code;
  return look("gi", slice->index, &instance) ? OK : 6;
}
EXPORT nvmlReturn_t nvmlDeviceGetGpuInstanceId(nvmlDevice_t slice, unsigned *out) { return narrow(slice, "gi", out); }
typedef struct { unsigned version; int margin; } margin_t;
EXPORT nvmlReturn_t nvmlDeviceGetMarginTemperature(nvmlDevice_t gpu, margin_t *out) {
  if (out->version != (sizeof(margin_t) | 1u << 24)) return 25;
  return narrow(gpu, "margin", (unsigned *)&out->margin);
}
EXPORT nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t gpu, unsigned link, unsigned *out) {
  char word[32];
  snprintf(word, sizeof word, "link-%u", link);
  nvmlReturn_t code = narrow(gpu, word, out);
  return code == NOT_SUPPORTED ? INVALID : code;
}
EXPORT nvmlReturn_t nvmlDeviceGetNvLinkErrorCounter(nvmlDevice_t gpu, unsigned link, unsigned counter, u64 *out) {
  char word[32];
  snprintf(word, sizeof word, "link-%u-errors-%u", link, counter);
  return wide(gpu, word, out);
}
#endif

typedef struct { u64 total, free, used; } memory_t;
EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t gpu, memory_t *out) {
  out->total = 85899345920ull;
  return wide(gpu, "memory", &out->used);
}
EXPORT nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t gpu, char *out, unsigned length) {
  if (gpu->index >= 100) snprintf(out, length, "MIG-00000%d-1111-2222-3333-444444444444", gpu->index);
  else snprintf(out, length, "GPU-0000000%d-1111-2222-3333-444444444444", gpu->index);
  return standing(gpu);
}
EXPORT nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t gpu, char *out, unsigned length) {
  snprintf(out, length, gpu->index >= 100 ? "NVIDIA H100 80GB HBM3 MIG 1g.10gb" : "NVIDIA H100 80GB HBM3");
  return standing(gpu);
}
EXPORT nvmlReturn_t nvmlDeviceGetSerial(nvmlDevice_t gpu, char *out, unsigned length) {
  snprintf(out, length, "165022300%d", gpu->index);
  return standing(gpu);
}
typedef struct { char legacy[16]; unsigned domain, bus, device, id, subsystem; char bus_id[32]; } pci_t;
EXPORT nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t gpu, pci_t *out) {
  memset(out, 0, sizeof *out);
  out->bus = 0x9b + gpu->index;
  snprintf(out->bus_id, sizeof out->bus_id, "00000000:%02X:00.0", out->bus);
  return standing(gpu);
}

#define NARROW(name, word) \
  EXPORT nvmlReturn_t nvmlDeviceGet##name(nvmlDevice_t gpu, unsigned *out) { return narrow(gpu, word, out); }
NARROW(PowerUsage, "power")
NARROW(EnforcedPowerLimit, "limit")
NARROW(PerformanceState, "pstate")
NARROW(FanSpeed, "fan")
NARROW(PcieReplayCounter, "replays")
EXPORT nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t gpu, u64 *out) { return wide(gpu, "energy", out); }
EXPORT nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t gpu, unsigned sensor, unsigned *out) {
  return sensor == 0 ? narrow(gpu, "temperature", out) : INVALID;
}
EXPORT nvmlReturn_t nvmlDeviceGetTemperatureThreshold(nvmlDevice_t gpu, unsigned kind, unsigned *out) {
  char word[32];
  snprintf(word, sizeof word, "threshold-%u", kind);
  return narrow(gpu, word, out);
}
EXPORT nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t gpu, unsigned kind, unsigned *out) {
  char word[32];
  snprintf(word, sizeof word, "clock-%u", kind);
  return narrow(gpu, word, out);
}
EXPORT nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t gpu, unsigned kind, unsigned counter, u64 *out) {
  char word[32];
  snprintf(word, sizeof word, "ecc-%u-%u", kind, counter);
  return wide(gpu, word, out);
}
EXPORT nvmlReturn_t nvmlDeviceGetPcieThroughput(nvmlDevice_t gpu, unsigned counter, unsigned *out) {
  u64 value;
  rest(look("quick", -1, &value) ? 0 : 20);
  return narrow(gpu, counter == 0 ? "pcie-tx" : "pcie-rx", out);
}
typedef struct { unsigned gpu, memory; } utilization_t;
EXPORT nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t gpu, utilization_t *out) {
  nvmlReturn_t code = narrow(gpu, "memory-utilization", &out->memory);
  return code == OK ? narrow(gpu, "utilization", &out->gpu) : code;
}
EXPORT nvmlReturn_t nvmlEventSetCreate(void **out) { *out = gpus; return standing(NULL); }
EXPORT nvmlReturn_t nvmlEventSetFree(void *set) { return set == gpus ? OK : INVALID; }
EXPORT nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t gpu, u64 *out) { return wide(gpu, "events", out); }
EXPORT nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t gpu, u64 types, void *set) {
  u64 offered;
  if (set != gpus) return INVALID;
  return wide(gpu, "events", &offered) == OK && (types & ~offered) == 0 ? OK : INVALID;
}
