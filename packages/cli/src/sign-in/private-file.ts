import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { Failure } from '../output/failure.ts'
import { writeAtomically } from '../project/atomic-write.ts'
import type { System } from '../system.ts'

type PrivateFileOptions = {
  name: string
  /** The member of the file that has the entries. */
  member: string
  /** How to write it again after it was removed. */
  command: string
}

/** A JSON file in the configuration folder of the user, which nobody else may read. */
export function openPrivateFile<T>(
  { variables, home, randomText }: System,
  { name, member, command }: PrivateFileOptions,
) {
  const path = join(variables['XDG_CONFIG_HOME'] || join(home, '.config'), 'svc', name)

  return {
    path,

    readAll(): Record<string, T> {
      if (!existsSync(path)) return {}
      if (process.platform !== 'win32' && statSync(path).mode & 0o077) {
        throw new Failure('failed', `Other users of this machine can read ${path}.`, {
          fix: `Run: chmod 600 ${path}`,
        })
      }
      try {
        return JSON.parse(readFileSync(path, 'utf8'))[member] ?? {}
      } catch {
        throw new Failure('failed', `${path} is not JSON.`, { fix: `Remove it and run: ${command}` })
      }
    },

    async writeAll(entries: Record<string, T>) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const text = `${JSON.stringify({ [member]: entries }, null, 2)}\n`
      await writeAtomically(path, { content: text, randomText: randomText(), mode: 0o600 })
    },
  }
}
