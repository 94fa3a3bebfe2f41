const MIB = 1024 * 1024
/**
 * V8 does not count the memory of workerd's own objects, several kilobytes per request, and collects them late. So a process that works
 * collects after this CPU time per byte of its memory, because a collection of a larger heap takes longer. A process that used databases
 * and KV had 73 MB without it, and has 38 (decision 0040). A small process need not collect, and one that is larger than
 * `BYTES_MAX` has more live objects than garbage: V8 decides alone. One that may stay below 40 MB collects earlier.
 */
const NS_PER_BYTE = 8
const BYTES_MIN = 20 * MIB
const BYTES_MAX = 64 * MIB
const EARLIER = { bytesMin: 34 * MIB, bytesMax: 44 * MIB, nsPerByte: 5 }

/**
 * Decides when a process collects its garbage. `mainNs` is the CPU time of the thread that runs all JavaScript. `factor`: how much rarer
 * than in functions.
 */
export function createCollector(
  collect: () => Promise<unknown>,
  mainNs: number,
  onCollected: () => void,
  factor = 1,
) {
  let collectedNs = mainNs
  let isCollecting = false

  return {
    isCollecting: () => isCollecting,

    /** Starts a collection if one is due. */
    check(bytes: number, nowNs: number) {
      if (isCollecting || bytes <= BYTES_MIN || bytes >= BYTES_MAX) return
      if (nowNs - collectedNs <= bytes * nsPerByte(bytes) * factor) return
      collectedNs = nowNs
      isCollecting = true
      void collect()
        .catch(() => {})
        .finally(() => {
          isCollecting = false
          onCollected()
        })
    },
  }
}

const nsPerByte = (bytes: number) =>
  bytes > EARLIER.bytesMin && bytes < EARLIER.bytesMax ? EARLIER.nsPerByte : NS_PER_BYTE
