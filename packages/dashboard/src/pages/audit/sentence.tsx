import type { AuditEntry } from '@svc/contract/audit'

import { address, type Route } from '../../route.ts'
import { visible } from '../../ui/visible.ts'
import { describe } from './actions.ts'
import type { Thing } from './things.ts'

type SentenceProps = { entry: AuditEntry; route: Route }

/** Who did what, with links to what it was done to. */
export const Sentence = ({ entry, route }: SentenceProps) => (
  <>
    <bdi class="soft">{visible(entry.actor.label)}</bdi>{' '}
    {describe(entry).sentence.map((part) =>
      typeof part === 'string' ? part : <Linked thing={part} href={hrefOf(part, entry, route)} />,
    )}
  </>
)

/** An entry can be of the other environment. */
const hrefOf = ({ page, id = '' }: Thing, { env }: AuditEntry, route: Route) =>
  page && address([route.project.slug, env ?? route.env, page, id])

function Linked({ thing: { noun, name }, href }: { thing: Thing; href: string | undefined }) {
  const text = (
    <>
      {noun && `${noun} `}
      <bdi>{visible(name)}</bdi>
    </>
  )
  return href === undefined ? (
    text
  ) : (
    <a class="link" href={href}>
      {text}
    </a>
  )
}
