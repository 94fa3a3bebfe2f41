import type { AuditEntry } from '@svc/contract/audit'

import { call, type ResponseOf } from '../../developer.ts'
import { dayTitle, exactly, hourAndMinute } from '../../format.ts'
import { download } from '../../platform.ts'
import { useCall } from '../../queries.ts'
import { environmentTitle, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Check } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { AuditIcon, DownloadIcon } from '../../ui/icons.ts'
import { ListFoot, useCursors } from '../../ui/list-foot.tsx'
import { notifyError } from '../../ui/messages.tsx'
import { Page } from '../../ui/page.tsx'
import { Chip, Facts, Segments, Time } from '../../ui/parts.tsx'
import { SearchInput } from '../../ui/search-input.tsx'
import { EmptyState, LoadedCard } from '../../ui/states.tsx'
import { visible } from '../../ui/visible.ts'
import { describe } from './actions.ts'
import { toCsv } from './csv.ts'
import { Sentence } from './sentence.tsx'

const EVERY_MS = 30_000
const PAGE_SIZE = 50
const CSV_ENTRIES_MAX = 5_000

type Scope = 'environment' | 'project'

/** Who changed what, when, with the change itself. */
export default function Audit({ route }: { route: Route }) {
  const scope: Scope = route.query['scope'] === 'project' ? 'project' : 'environment'
  const cursors = useCursors<string, 'before'>('before')
  const search = route.query['q'] ?? ''
  const reported = route.query['reported'] === 'true'
  const filter: Filter = {
    ...(scope === 'environment' && { env: route.env, wholeProject: true }),
    ...filterOf(search),
    ...(reported && { reported }),
  }
  const go = (query: { scope?: string | undefined; q?: string; reported?: string | undefined }) => {
    cursors.reset()
    route.go(
      'audit',
      '',
      {
        scope: scope === 'project' ? scope : undefined,
        q: search,
        reported: reported ? 'true' : undefined,
        ...query,
      },
      { replace: true },
    )
  }
  const answer = useCall(
    'listAudit',
    {
      params: { projectId: route.project.id },
      query: { limit: PAGE_SIZE, ...filter, ...cursors.query },
    },
    { everyMs: EVERY_MS, keepsPrevious: true },
  )
  const exportCsv = useAction(async () => {
    const entries = await readAll(route.project.id, filter)
    download(`${route.project.slug}-audit.csv`, 'text/csv', toCsv(entries))
  }, notifyError)
  return (
    <Page
      title="Audit"
      side={
        <>
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
            label="Filter by action, person or ID"
            placeholder="Action, person or ID"
            onChange={(text) => go({ q: text })}
          />
          <Check checked={reported} change={(isOn) => go({ reported: isOn ? 'true' : undefined })}>
            Values reported by keys
          </Check>
          <Button icon={DownloadIcon} busy={exportCsv.busy} onClick={exportCsv.run}>
            CSV
          </Button>
        </>
      }
    >
      <LoadedCard
        answer={answer}
        lines={10}
        foot={<ListFoot cursors={cursors} next={answer.data?.nextBefore} note="Newest first" />}
      >
        {({ entries }) =>
          entries.length === 0 ? (
            <EmptyState icon={AuditIcon} title={search ? 'No matches' : 'No changes yet'}>
              {search
                ? 'Search by action (config or config.push), email, or full ID.'
                : 'Every change appears here, with who made it and when.'}
            </EmptyState>
          ) : (
            byDay(entries).map(([title, ofDay]) => (
              <section key={title} class="audit-day">
                <h2>{title}</h2>
                <ul class="audit-list">
                  {ofDay.map((entry) => (
                    <Entry
                      key={entry.id}
                      entry={entry}
                      route={route}
                      showsEnvironment={scope === 'project'}
                    />
                  ))}
                </ul>
              </section>
            ))
          )
        }
      </LoadedCard>
    </Page>
  )
}

type Props = { entry: AuditEntry; route: Route; showsEnvironment: boolean }

function Entry({ entry, route, showsEnvironment }: Props) {
  const { env, target } = entry
  return (
    <li>
      <details>
        <summary>
          <span class="change-icon">
            <Icon of={describe(entry).icon} size={14} />
          </span>
          <span class="grow">
            <Sentence entry={entry} route={route} />{' '}
            {env === null ? <Chip>Project</Chip> : showsEnvironment && <Chip>{environmentTitle(env)}</Chip>}
          </span>
          <Time iso={entry.at}>
            <span class="tiny faint tabular">{hourAndMinute(Date.parse(entry.at))}</span>
          </Time>
        </summary>
        <Facts
          class="facts audit-facts"
          rows={[
            ['When', exactly(entry.at)],
            ['Action', <code>{entry.action}</code>],
            [
              'By',
              <>
                <bdi>{entry.actor.label}</bdi> <span class="faint">({entry.actor.type})</span>
              </>,
            ],
            target && ['Target', <code>{visible(target)}</code>],
            Object.keys(entry.details).length > 0 && [
              'Details',
              <pre class="json">{JSON.stringify(entry.details, null, 2)}</pre>,
            ],
          ]}
        />
      </details>
    </li>
  )
}

/** The entries of each day of the browser's time zone, in their order. */
function byDay(entries: readonly AuditEntry[]): [title: string, entries: AuditEntry[]][] {
  const days = new Map<string, AuditEntry[]>()
  for (const entry of entries) {
    const title = dayTitle(entry.at)
    days.set(title, [...(days.get(title) ?? []), entry])
  }
  return [...days]
}

type Filter = {
  env?: string
  wholeProject?: boolean
  action?: string
  actor?: string
  target?: string
  reported?: boolean
}

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
