import type { DeployedFile } from '@svc/contract/hosting'

import { bytes } from '../../format.ts'
import { Chip } from '../../ui/parts.tsx'

type FileChange = { path: string; size: number; kind: 'added' | 'changed' | 'removed' }

const SHOWN_MAX = 200
const TONES = { added: 'good', changed: 'warn', removed: 'bad' } as const

/** What differs between the files of two versions, by their hashes. */
export function fileChanges(before: readonly DeployedFile[], after: readonly DeployedFile[]): FileChange[] {
  const old = new Map(before.map((file) => [file.path, file]))
  const now = new Set(after.map(({ path }) => path))
  return [
    ...after.flatMap(({ path, sha256, size }): FileChange[] => {
      const known = old.get(path)
      if (!known) return [{ path, size, kind: 'added' }]
      return known.sha256 === sha256 ? [] : [{ path, size, kind: 'changed' }]
    }),
    ...before.flatMap(({ path, size }): FileChange[] =>
      now.has(path) ? [] : [{ path, size, kind: 'removed' }],
    ),
  ]
}

/** The differences between two versions as a list. */
export const FileChanges = ({ changes }: { changes: readonly FileChange[] }) => (
  <>
    {changes.length === 0 && <p class="small soft">No changes.</p>}
    <ul class="file-changes">
      {changes.slice(0, SHOWN_MAX).map(({ path, size, kind }) => (
        <li key={path}>
          <code class="grow cut">{path}</code>
          <span class="tiny faint tabular">{bytes(size)}</span>
          <Chip tone={TONES[kind]}>{kind}</Chip>
        </li>
      ))}
    </ul>
    {changes.length > SHOWN_MAX && <p class="tiny faint">and {changes.length - SHOWN_MAX} more</p>}
  </>
)
