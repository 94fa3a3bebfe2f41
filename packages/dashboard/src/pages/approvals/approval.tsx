import { AuditIcon } from '../../ui/icons.ts'
import { EmptyState } from '../../ui/states.tsx'

/** A change that an agent asks for; a developer allows or refuses it here. */
export const Approval = ({ id }: { id: string }) => (
  <div class="page narrow">
    <header class="page-head">
      <h1>Approval</h1>
    </header>
    <div class="card">
      <EmptyState icon={AuditIcon} title="There is no such approval">
        <code>{id}</code> does not exist, or it has expired.
      </EmptyState>
    </div>
  </div>
)
