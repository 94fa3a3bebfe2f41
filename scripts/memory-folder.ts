import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const IN_MEMORY = '/dev/shm'
const ROOM_BYTES_MIN = 4 * 1024 ** 3

/** For data that need not survive a power cut: a folder in memory where there is room, so that nothing waits for the disk. */
export function memoryFolder(): string {
  if (!existsSync(IN_MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(IN_MEMORY)
  return bavail * bsize >= ROOM_BYTES_MIN ? IN_MEMORY : tmpdir()
}
