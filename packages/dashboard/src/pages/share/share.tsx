import type { Place } from '../../place.ts'
import { ShareIcon } from '../../ui/icons.ts'
import { EmptyState } from '../../ui/states.tsx'

export const Share = (_: { here: Place }) => (
  <div class="page">
    <header class="page-head">
      <h1>Share</h1>
    </header>
    <div class="card">
      <EmptyState icon={ShareIcon} title="Not available in this version">
        Links and cards.
      </EmptyState>
    </div>
  </div>
)
