import { counted } from '../../format.ts'
import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { DoneIcon } from '../../ui/icons.ts'
import { Ago, Card, Chip, Name } from '../../ui/parts.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import { resendVerification } from '../account/resend.ts'

const EVERY_MS = 30_000
const SHOWN_MAX = 3

export const useOpenAppeals = ({ params }: Route) =>
  useCall('listAppeals', { params, query: { status: 'open', limit: 100 } }, { everyMs: EVERY_MS })

/** Items that need a decision of the developer. */
export function Attention({ route, failedMails }: { route: Route; failedMails: number }) {
  const appeals = useOpenAppeals(route)
  const me = useCall('readMe', {})
  const open = appeals.data?.appeals ?? []
  const info = useCall('readPlatformInfo', {})
  // Where no mail is sent, nothing asks for a confirmed address.
  const isUnconfirmed = me.data?.developer.emailVerified === false && info.data?.mail === 'sent'
  return (
    <Card
      title="Needs attention"
      side={open.length > 0 && <Chip tone="warn">{counted(open.length, 'open appeal', 'open appeals')}</Chip>}
      pad={false}
    >
      {isUnconfirmed && (
        <div class="attention-row">
          <span class="grow stack tight">
            <strong>Confirm your email address</strong>
            <span class="tiny soft">You need it to publish to production, among other things.</span>
          </span>
          <Button small onClick={resendVerification}>
            Send again
          </Button>
        </div>
      )}
      {failedMails > 0 && (
        <div class="attention-row">
          <span class="grow stack tight">
            <strong>{counted(failedMails, 'email was not delivered', 'emails were not delivered')}</strong>
            <span class="tiny soft">In the last 30 days.</span>
          </span>
          <LinkButton small href={route.href('mailbox', '', { status: 'failed' })}>
            View
          </LinkButton>
        </div>
      )}
      <Loaded answer={appeals} lines={4}>
        {() =>
          open.length === 0 && !isUnconfirmed && failedMails === 0 ? (
            <EmptyState icon={DoneIcon} title="All caught up">
              Appeals and other tasks appear here.
            </EmptyState>
          ) : (
            <ul class="list">
              {open.slice(0, SHOWN_MAX).map(({ id, player, message, sanction, createdAt }) => (
                <li key={id}>
                  <a href={route.href('moderation', id)}>
                    <span class="row small">
                      <strong class="cut">
                        <Name>{player.displayName}</Name>
                      </strong>
                      <span class="grow" />
                      <Ago iso={createdAt} small />
                    </span>
                    <span class="tiny faint cut">{sanction.note ?? 'Banned, no reason given'}</span>
                    <span class="small soft two-lines">
                      <bdi>{message}</bdi>
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}
