import type { Place } from '../../place.ts'
import { MailboxIcon } from '../../ui/icons.ts'
import { EmptyState } from '../../ui/states.tsx'

export const Mailbox = (_: { here: Place }) => (
  <div class="page">
    <header class="page-head">
      <h1>Mailbox</h1>
    </header>
    <div class="card">
      <EmptyState icon={MailboxIcon} title="Not available in this version">
        The mails of this environment.
      </EmptyState>
    </div>
  </div>
)
