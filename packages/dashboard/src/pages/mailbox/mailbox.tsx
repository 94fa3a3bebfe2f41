import type { MailEntry } from '@svc/contract/mail'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { counted, exactly } from '../../format.ts'
import { useCall } from '../../queries.ts'
import { inProduction, type Route } from '../../route.ts'
import { useChange } from '../../ui/action.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { MailboxIcon, OpenIcon, TrashIcon } from '../../ui/icons.ts'
import { ListFoot, useCursors } from '../../ui/list-foot.tsx'
import { notify } from '../../ui/messages.tsx'
import { Page } from '../../ui/page.tsx'
import { Ago, Chip, Segments, type Tone } from '../../ui/parts.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import { MailFrame } from './mail-frame.tsx'

const EVERY_MS = 5_000
const PAGE_SIZE = 50
const FILTERS = [
  { id: 'all', title: 'All' },
  { id: 'failed', title: 'Failed' },
] as const
const VIEWS = [
  { id: 'text', title: 'Text' },
  { id: 'html', title: 'HTML' },
] as const
const STATES: Record<MailEntry['status'], { title: string; tone: Tone }> = {
  pending: { title: 'Waiting', tone: 'warn' },
  sent: { title: 'Sent', tone: 'good' },
  captured: { title: 'Stored', tone: 'neutral' },
  failed: { title: 'Failed', tone: 'bad' },
}

/** The mails of an environment: who got what, and what was not delivered. */
export default function Mailbox({ route }: { route: Route }) {
  const filter = route.query['status'] === 'failed' ? 'failed' : 'all'
  const cursors = useCursors<string>()
  const answer = useCall(
    'listMails',
    {
      params: route.params,
      query: {
        limit: PAGE_SIZE,
        ...(filter === 'failed' && { status: filter }),
        ...cursors.query,
      },
    },
    { everyMs: EVERY_MS, keepsPrevious: true },
  )
  const info = useCall('readPlatformInfo', {})
  const [isDeleting, setDeleting] = useState(false)
  const deleteAll = useChange(['listMails', 'readOverview'], async () => {
    setDeleting(false)
    const { deleted } = await call('deleteMails', { params: route.params })
    notify(`${counted(deleted, 'email', 'emails')} deleted.`)
  })
  const mails = answer.data?.mails ?? []
  const chosen = mails.find(({ id }) => id === route.id) ?? mails[0]
  const query = filter === 'failed' ? { status: filter } : {}
  return (
    <Page
      title="Mailbox"
      side={
        <>
          <Segments
            label="Emails"
            items={FILTERS}
            chosen={filter}
            choose={(id) => {
              cursors.reset()
              route.go('mailbox', '', id === 'failed' ? { status: id } : {}, { replace: true })
            }}
          />
          <Allowed route={route} call="deleteMails" to="delete emails">
            <Button icon={TrashIcon} disabled={mails.length === 0} onClick={() => setDeleting(true)}>
              Delete all…
            </Button>
          </Allowed>
        </>
      }
    >
      {info.data?.mail === 'kept' && (
        <p class="note">This service has no mail server. Emails are stored here instead of being sent.</p>
      )}
      <Loaded answer={answer} lines={8} inCard>
        {(data) =>
          chosen ? (
            <div class="card inbox">
              <div class="inbox-side">
                <ul class="inbox-list" aria-label="Emails" data-follows>
                  {mails.map((mail) => (
                    <li key={mail.id}>
                      <a
                        href={route.href('mailbox', mail.id, query)}
                        aria-current={mail.id === chosen.id ? 'true' : undefined}
                        onClick={(event) => {
                          if (event.metaKey || event.ctrlKey) return
                          event.preventDefault()
                          event.stopPropagation()
                          route.go('mailbox', mail.id, query, { replace: true })
                        }}
                      >
                        <span class="row small">
                          <strong class="cut">
                            <bdi>{mail.to}</bdi>
                          </strong>
                          <span class="grow" />
                          <Ago iso={mail.createdAt} small />
                        </span>
                        <bdi class="tiny soft cut">{mail.subject}</bdi>
                      </a>
                    </li>
                  ))}
                </ul>
                <ListFoot cursors={cursors} next={data.nextCursor} note="" />
              </div>
              <OneMail key={chosen.id} mail={chosen} />
            </div>
          ) : (
            <EmptyState
              inCard
              icon={MailboxIcon}
              title={filter === 'failed' ? 'No failed emails' : 'Nothing sent yet'}
            >
              Confirmations, password resets and news for players appear here.
            </EmptyState>
          )
        }
      </Loaded>
      {isDeleting && (
        <FormDialog
          route={route}
          title="Delete all emails?"
          label="Delete all emails"
          about="Emails waiting to be sent are kept."
          submit={`Delete${inProduction(route)}`}
          isDanger
          action={deleteAll}
          onClose={() => setDeleting(false)}
        />
      )}
    </Page>
  )
}

/** One mail: its text, or its HTML in a frame; its links as buttons. */
function OneMail({ mail }: { mail: MailEntry }) {
  const { title, tone } = STATES[mail.status]
  const [view, setView] = useState<(typeof VIEWS)[number]['id']>('text')
  const links = [...new Set(mail.text?.match(/https?:\/\/[^\s<>"]+/g) ?? [])]
  return (
    <article class="inbox-one">
      <header class="stack">
        <h2>
          <bdi>{mail.subject}</bdi>
        </h2>
        <span class="row wrap small soft">
          to <bdi>{mail.to}</bdi> <span class="faint">{exactly(mail.createdAt)}</span>
          <Chip tone={tone}>{title}</Chip>
          {mail.attempts > 1 && <span class="tiny faint">{mail.attempts} attempts</span>}
        </span>
      </header>
      {mail.lastError && <p class="ban-note">{mail.lastError}</p>}
      {mail.text === null ? (
        <p class="soft">Production emails are hidden: their links belong to the recipient.</p>
      ) : (
        <>
          <div class="row">
            <Segments label="Show the email as" items={VIEWS} chosen={view} choose={setView} />
          </div>
          {view === 'html' && mail.html !== null ? (
            <MailFrame html={mail.html} />
          ) : (
            <pre class="mail-text">{mail.text}</pre>
          )}
          {links.length > 0 && (
            <div class="row wrap">
              {links.slice(0, 5).map((link) => (
                <a key={link} class="button plain" href={link} target="_blank" rel="noreferrer">
                  <span class="cut link-text">{link.replace(/^https?:\/\//, '').replace(/[#?].*/, '')}</span>
                  <Icon of={OpenIcon} size={14} class="faint" />
                </a>
              ))}
            </div>
          )}
        </>
      )}
    </article>
  )
}
