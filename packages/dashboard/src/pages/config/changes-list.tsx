import type { Change } from '@svc/contract/config/config'

const shown = (value: unknown) =>
  value === null || value === undefined ? '' : JSON.stringify(value, null, 1)

/** What differs between two documents, path by path. */
export const ChangesList = ({ changes }: { changes: readonly Change[] }) => (
  <ul class="diff">
    {changes.map(({ path, before, after }) => (
      <li key={path}>
        <code class="diff-path">{path.replace(/^\$\.?/, '') || 'document'}</code>
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
