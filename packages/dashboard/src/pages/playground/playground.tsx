import { PlaygroundIcon } from '../../ui/icons.ts'
import { EmptyState } from '../../ui/states.tsx'

export const Playground = () => (
  <div class="page">
    <header class="page-head">
      <h1>Playground</h1>
    </header>
    <div class="card">
      <EmptyState icon={PlaygroundIcon} title="Not available in this version">
        Simulated players.
      </EmptyState>
    </div>
  </div>
)
