import type { ApprovalView } from '@svc/contract/developers/agents'

import { call } from '../../developer.ts'
import { clockTime } from '../../format.ts'
import { refresh, useCall } from '../../queries.ts'
import { address, environmentTitle, usePath } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { AgentsIcon, WarningIcon } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Ago, Card, Chip, Facts, Time, type Tone } from '../../ui/parts.tsx'
import { EmptyState, ErrorNotice, Loaded } from '../../ui/states.tsx'
import { Outcome } from '../agents/agent-panel.tsx'
import { toolText } from '../agents/tools.ts'
import { ApprovalList } from './approval-list.tsx'
import { argumentsText, playerOf } from './arguments.ts'

const EVERY_MS = 2_000
const LIST_EVERY_MS = 5_000

/** A destructive call of an agent, about which its developer decides; without an id the calls that wait. */
export default function Approvals() {
  const [, id = ''] = usePath()
  return (
    <Page title="Approval" class="narrow">
      {id === '' ? <Waiting /> : <Approval key={id} id={id} />}
    </Page>
  )
}

function Waiting() {
  const answer = useCall('listApprovals', {}, { everyMs: LIST_EVERY_MS })
  return (
    <Loaded answer={answer} lines={3} inCard>
      {({ approvals }) =>
        approvals.length === 0 ? (
          <EmptyState inCard icon={AgentsIcon} title="Nothing to approve">
            Your agents’ calls that need approval appear here for 10 minutes.
          </EmptyState>
        ) : (
          <ApprovalList approvals={approvals} title="Waiting for your approval" showsEnvironment />
        )
      }
    </Loaded>
  )
}

function Approval({ id }: { id: string }) {
  const answer = useCall('readApproval', { params: { approvalId: id } }, { everyMs: EVERY_MS })
  if (answer.error?.code === 'approval_not_found')
    return (
      <EmptyState
        inCard
        icon={AgentsIcon}
        title="This request has expired"
        action={<LinkButton href={address(['approvals'])}>Show open requests</LinkButton>}
      >
        Ask the agent to try again. Requests stay open for 10 minutes, and only for the agent’s own developer.
      </EmptyState>
    )
  return (
    <Loaded answer={answer} lines={8} inCard>
      {({ approval }) => (
        <>
          <Call approval={approval} />
          {approval.status === 'open' ? (
            <Decision approval={approval} />
          ) : (
            <Afterwards approval={approval} status={approval.status} />
          )}
        </>
      )}
    </Loaded>
  )
}

const STATES: Record<ApprovalView['status'], readonly [Tone, string]> = {
  open: ['warn', 'Waiting for you'],
  approved: ['good', 'Approved'],
  refused: ['bad', 'Refused'],
  used: ['neutral', 'Approved and used'],
}

function useProject(projectId: string) {
  const { data } = useCall('listProjects', {})
  return data?.projects.find((project) => project.id === projectId)
}

function Call({ approval }: { approval: ApprovalView }) {
  const { tool, agent, environment, projectId, status, createdAt, expiresAt } = approval
  const project = useProject(projectId)
  const me = useCall('readMe', {}).data?.developer
  const playerId = playerOf(approval.arguments)
  const [tone, state] = STATES[status]
  return (
    <Card title="An agent wants to do this" side={<Chip tone={tone}>{state}</Chip>}>
      <div class="form is-wide">
        <p class="dialog-env in-card" data-env={environment}>
          <span class="env-dot" aria-hidden="true" />
          {environmentTitle(environment)} <span aria-hidden="true">·</span> <bdi>{project?.name}</bdi>
        </p>
        <Facts
          rows={[
            [
              'Tool',
              <span>
                <code class="strong">{tool}</code> {toolText(tool)}
              </span>,
            ],
            [
              'Agent',
              <span>
                <bdi class="strong">{agent.label}</bdi> for you{me && <bdi class="soft"> ({me.email})</bdi>}
              </span>,
            ],
            ['Requested', <Ago iso={createdAt} />],
            ['Expires', <Time iso={expiresAt}>{clockTime(Date.parse(expiresAt))}</Time>],
            playerId !== undefined &&
              project && [
                'Player',
                <a class="link" href={address([project.slug, environment, 'players', playerId])}>
                  <code>{playerId}</code>
                </a>,
              ],
          ]}
        />
        <div class="stack">
          <h3>What it sends</h3>
          <p class="small soft">
            The agent chose these values and may have copied text from players. Check them; do not follow
            instructions in them.
          </p>
          <pre class="json approval-arguments" tabIndex={0} role="region" aria-label="What the agent sends">
            {argumentsText(approval.arguments)}
          </pre>
        </div>
      </div>
    </Card>
  )
}

function Decision({ approval: { id, environment } }: { approval: ApprovalView }) {
  const { run, busy, error } = useAction(
    (approve: boolean) => call('decideApproval', { params: { approvalId: id }, body: { approve } }),
    undefined,
    () => refresh('readApproval', 'listApprovals', 'listAudit'),
  )
  const where = environment === 'production' ? ' in production' : ''
  return (
    <Card title="Your decision">
      <div class="form is-wide">
        <p class="row">
          <Icon of={WarningIcon} size={18} />
          <span>Approving allows exactly this call, once. Refuse anything you did not ask for.</span>
        </p>
        {error && <ErrorNotice error={error} />}
        <div class="row">
          <Button kind="main" busy={busy} onClick={() => run(true)}>
            Approve{where}
          </Button>
          <Button disabled={busy} onClick={() => run(false)}>
            Refuse
          </Button>
        </div>
      </div>
    </Card>
  )
}

/** What the agent has done since the decision. */
function Afterwards({ approval, status }: { approval: ApprovalView; status: Decided }) {
  const { tool, agent, projectId, environment, createdAt } = approval
  const params = { projectId, env: environment, agentId: agent.id }
  const { data } = useCall('readAgent', { params }, { everyMs: EVERY_MS, enabled: status === 'used' })
  const made = data?.calls.find(
    (one) => one.tool === tool && one.at >= createdAt && one.outcome !== 'approval_required',
  )
  const project = useProject(projectId)
  return (
    <Card title="What happened">
      <div class="form is-wide" role="status">
        <p>{WORDS[status]}</p>
        {status === 'used' && made && (
          <p class="row wrap">
            <code>{tool}</code> <Outcome of={made.outcome} /> <Ago iso={made.at} small />
          </p>
        )}
        {project && (
          <p>
            <a class="link" href={address([project.slug, environment, 'audit'])}>
              Audit log
            </a>
          </p>
        )}
      </div>
    </Card>
  )
}

type Decided = Exclude<ApprovalView['status'], 'open'>

const WORDS: Record<Decided, string> = {
  approved: 'You approved the call. The agent can make it once, until the approval expires.',
  refused: 'You refused the call. Nothing changed, and the agent was told.',
  used: 'You approved the call, and the agent made it. The approval is used up.',
}
