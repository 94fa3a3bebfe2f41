import { FunctionsIcon } from '../../ui/icons.ts'
import { EmptyState } from '../../ui/states.tsx'

export const Functions = () => (
  <div class="page">
    <header class="page-head">
      <h1>Functions</h1>
    </header>
    <div class="card">
      <EmptyState icon={FunctionsIcon} title="Not available in this version">
        Server code in a sandbox with a database, secrets and schedules.
      </EmptyState>
    </div>
  </div>
)
