import type { AuditEntry } from '@svc/contract/audit'

import { call, type ResponseOf } from '../../developer.ts'
import { ago, exactly } from '../../format.ts'
import { download } from '../../platform.ts'
import { useCall } from '../../queries.ts'
import { environmentTitle, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { AuditIcon, DownloadIcon } from '../../ui/icons.ts'
import { ListFoot, useCursors } from '../../ui/list-foot.tsx'
import { notifyError } from '../../ui/messages.tsx'
import { Chip, Segments, Time } from '../../ui/parts.tsx'
import { SearchInput } from '../../ui/search-input.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import { describe } from './actions.ts'
import { toCsv } from './csv.ts'

const EVERY_MS = 30_000
const PAGE_SIZE = 50
const CSV_ENTRIES_MAX = 5_000

type Scope = 'environment' | 'project'

/** Who changed what, when, with the change itself. */
export function Audit({ route }: { route: Route }) {
  const scope: Scope = route.query['scope'] === 'project' ? 'project' : 'environment'
  const cursors = useCursors<string>()
  const before = cursors.current
  const search = route.query['q'] ?? ''
  const filter: Filter = { ...(scope === 'environment' && { env: route.env }), ...filterOf(search) }
  const go = (query: { scope?: string | undefined; q?: string }) => {
    cursors.reset()
    route.go(
      'audit',
      '',
      { scope: scope === 'project' ? scope : undefined, q: search, ...query },
      { replace: true },
    )
  }
  const answer = useCall(
    'listAudit',
    {
      params: { projectId: route.project.id },
      query: { limit: PAGE_SIZE, ...filter, ...(before !== undefined && { before }) },
    },
    { everyMs: EVERY_MS, keepsPrevious: true },
  )
  const exportCsv = useAction(async () => {
    const entries = await readAll(route.project.id, filter)
    download(`${route.project.slug}-audit.csv`, 'text/csv', toCsv(entries))
  }, notifyError)
  return (
    <div class="page">
      <header class="page-head">
        <h1>Audit</h1>
        <span class="grow" />
        <Segments
          label="Entries"
          items={[
            { id: 'environment', title: environmentTitle(route.env) },
            { id: 'project', title: 'Whole project' },
          ]}
          chosen={scope}
          choose={(id) => go({ scope: id === 'project' ? id : undefined })}
        />
        <SearchInput
          value={search}
          label="Filter by action, person or id"
          placeholder="config.push, person or id"
          onChange={(text) => go({ q: text })}
        />
        <Button icon={DownloadIcon} busy={exportCsv.busy} onClick={exportCsv.run}>
          CSV
        </Button>
      </header>
      <section class="card">
        <div class="card-part">
          <Loaded answer={answer} lines={10}>
            {({ entries }) =>
              entries.length === 0 ? (
                <EmptyState icon={AuditIcon} title={search ? 'Nothing matches' : 'No changes yet'}>
                  {search
                    ? 'An action is matched whole or up to its dot, a person by the address, an id as a whole.'
                    : 'Every change appears here: who made it, when, and what it was.'}
                </EmptyState>
              ) : (
                <ul class="audit-list">
                  {entries.map((entry) => (
                    <Entry
                      key={entry.id}
                      entry={entry}
                      route={route}
                      showsEnvironment={scope === 'project'}
                    />
                  ))}
                </ul>
              )
            }
          </Loaded>
        </div>
        <ListFoot cursors={cursors} next={answer.data?.nextBefore} note="Newest first" />
      </section>
    </div>
  )
}

function Entry({
  entry,
  route,
  showsEnvironment,
}: {
  entry: AuditEntry
  route: Route
  showsEnvironment: boolean
}) {
  const { icon, text } = describe(entry)
  const isPlayer = entry.target?.startsWith('ply_') === true && entry.env === route.env
  return (
    <li>
      <details>
        <summary>
          <span class="change-icon">
            <Icon of={icon} size={14} />
          </span>
          <span class="grow cut">
            <bdi class="soft">{entry.actor.label}</bdi> {text}
          </span>
          {showsEnvironment && entry.env && <Chip>{environmentTitle(entry.env)}</Chip>}
          <Time iso={entry.at}>
            <span class="tiny faint">{ago(entry.at)}</span>
          </Time>
        </summary>
        <dl class="facts audit-facts">
          <dt>When</dt>
          <dd>{exactly(entry.at)}</dd>
          <dt>Action</dt>
          <dd>
            <code>{entry.action}</code>
          </dd>
          <dt>By</dt>
          <dd>
            <bdi>{entry.actor.label}</bdi> <span class="faint">({entry.actor.type})</span>
          </dd>
          {entry.target && (
            <>
              <dt>Target</dt>
              <dd>
                {isPlayer ? (
                  <a class="link" href={route.href('players', entry.target)}>
                    <code>{entry.target}</code>
                  </a>
                ) : (
                  <code>{entry.target}</code>
                )}
              </dd>
            </>
          )}
          {Object.keys(entry.details).length > 0 && (
            <>
              <dt>Details</dt>
              <dd>
                <pre class="json">{JSON.stringify(entry.details, null, 2)}</pre>
              </dd>
            </>
          )}
        </dl>
      </details>
    </li>
  )
}

type Filter = { env?: string; action?: string; actor?: string; target?: string }

/** One field for what people know: an id, the address of a developer, or an action such as `config` or `config.push`. */
function filterOf(search: string): Filter {
  if (search === '') return {}
  if (/^[a-z]{3}_/.test(search)) return { target: search }
  return /^[a-z]+(_[a-z]+)*(\.[a-z_]+)?$/.test(search) ? { action: search } : { actor: search }
}

async function readAll(projectId: string, filter: Filter): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = []
  let before: string | null = null
  do {
    const page: ResponseOf<'listAudit'> = await call('listAudit', {
      params: { projectId },
      query: { limit: 200, ...filter, ...(before !== null && { before }) },
    })
    entries.push(...page.entries)
    before = page.nextBefore
  } while (before !== null && entries.length < CSV_ENTRIES_MAX)
  return entries
}
