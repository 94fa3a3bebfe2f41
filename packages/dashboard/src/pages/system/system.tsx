import { SystemIcon } from '../../ui/icons.ts'
import { EmptyState } from '../../ui/states.tsx'

export const System = () => (
  <div class="page">
    <header class="page-head">
      <h1>System</h1>
    </header>
    <div class="card">
      <EmptyState icon={SystemIcon} title="Not available in this version" />
    </div>
  </div>
)
