import type { AppealEntry } from '@svc/contract/moderation'
import { useEffect } from 'preact/hooks'

import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { DoneIcon } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Ago, Name, Segments } from '../../ui/parts.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import { Appeal } from './appeal.tsx'
import { Bans } from './bans.tsx'
import { decide, decided, sendAll } from './decisions.ts'
import { RefusedValues } from './refused-values.tsx'

type Status = AppealEntry['status']

const EVERY_MS = 30_000
const STATUSES: { id: Status; title: string }[] = [
  { id: 'open', title: 'Open' },
  { id: 'accepted', title: 'Accepted' },
  { id: 'rejected', title: 'Rejected' },
]

type View = Status | 'bans' | 'values'
const VIEWS: { id: View; title: string }[] = [
  ...STATUSES,
  { id: 'bans', title: 'Bans' },
  { id: 'values', title: 'Rejected values' },
]

/** Appeals, bans, and values that the rules rejected. */
export default function Moderation({ route }: { route: Route }) {
  const view = VIEWS.find(({ id }) => id === route.query['show'])?.id ?? 'open'
  return (
    <Page
      title="Moderation"
      side={
        <Segments
          label="Show"
          items={VIEWS}
          chosen={view}
          choose={(id) => route.go('moderation', '', id === 'open' ? {} : { show: id }, { replace: true })}
        />
      }
    >
      {view === 'values' && <RefusedValues route={route} />}
      {view === 'bans' && <Bans route={route} />}
      {view !== 'values' && view !== 'bans' && <Appeals key={view} route={route} status={view} />}
    </Page>
  )
}

/** One appeal after the other: read it, decide with one key, and the next one opens. */
function Appeals({ route, status }: { route: Route; status: Status }) {
  const answer = useCall(
    'listAppeals',
    { params: route.params, query: { status, limit: 100 } },
    { everyMs: EVERY_MS },
  )
  const appeals = (answer.data?.appeals ?? []).filter(({ id }) => status !== 'open' || !decided.value.has(id))
  const chosen = appeals.find(({ id }) => id === route.id) ?? appeals[0]
  const query = status === 'open' ? {} : { show: status }
  const open = (id: string) => route.go('moderation', id, query, { replace: true })

  useEffect(() => {
    addEventListener('pagehide', sendAll)
    return () => {
      removeEventListener('pagehide', sendAll)
      sendAll()
    }
  }, [])

  const resolve = (appeal: AppealEntry, accept: boolean, response: string) => {
    const at = appeals.indexOf(appeal)
    const next = appeals[at + 1] ?? appeals[at - 1]
    decide(route.params, appeal, { accept, response, onUndo: () => open(appeal.id) })
    open(next?.id ?? '')
  }

  return (
    <Loaded answer={answer} lines={8} inCard>
      {() =>
        chosen ? (
          <div class="card inbox">
            <ul class="inbox-list" aria-label="Appeals" data-follows>
              {appeals.map((appeal) => (
                <li key={appeal.id}>
                  <a
                    href={route.href('moderation', appeal.id, query)}
                    aria-current={appeal.id === chosen.id ? 'true' : undefined}
                    onClick={(event) => {
                      event.preventDefault()
                      event.stopPropagation()
                      open(appeal.id)
                    }}
                  >
                    <span class="row small">
                      <strong class="cut">
                        <Name>{appeal.player.displayName}</Name>
                      </strong>
                      <span class="grow" />
                      <Ago iso={appeal.createdAt} small />
                    </span>
                    <bdi class="tiny soft cut">{appeal.message}</bdi>
                  </a>
                </li>
              ))}
            </ul>
            <Appeal key={chosen.id} route={route} appeal={chosen} resolve={resolve} />
          </div>
        ) : (
          <EmptyState
            inCard
            icon={DoneIcon}
            title={status === 'open' ? 'No open appeals' : `No ${status} appeals`}
          >
            {status === 'open' &&
              'Banned players can appeal once, even after being signed out. Appeals appear here.'}
          </EmptyState>
        )
      }
    </Loaded>
  )
}
