import type { Change } from '@svc/contract/config/config'

import { visible } from '../../ui/visible.ts'

/** A value with everything in it visible. A text of several lines is shown as these lines, anything else as JSON. */
export const valueText = (value: unknown): string =>
  visible(typeof value === 'string' && value.includes('\n') ? value : (JSON.stringify(value, null, 1) ?? ''))

const shown = (value: unknown) => (value === null || value === undefined ? '' : valueText(value))

/** What differs between two documents, path by path. */
export const ChangesList = ({ changes }: { changes: readonly Change[] }) => (
  <ul class="diff">
    {changes.map(({ path, before, after }) => (
      <li key={path}>
        <code class="diff-path">{visible(path).replace(/^\$\.?/, '') || 'everything'}</code>
        {shown(before) && (
          <pre class="diff-before">
            <span class="visually-hidden">before: </span>
            {shown(before)}
          </pre>
        )}
        {shown(after) && (
          <pre class="diff-after">
            <span class="visually-hidden">after: </span>
            {shown(after)}
          </pre>
        )}
      </li>
    ))}
  </ul>
)
