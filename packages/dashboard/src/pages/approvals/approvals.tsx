import type { ApprovalView } from '@svc/contract/developers/agents'

import { useCall } from '../../queries.ts'
import { address, usePath } from '../../route.ts'
import { LinkButton } from '../../ui/button.tsx'
import { AgentsIcon } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Ago, Card } from '../../ui/parts.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import { Outcome } from '../agents/agent-panel.tsx'
import { ApprovalList } from './approval-list.tsx'
import { Call, useProject } from './call.tsx'
import { Decision } from './decision.tsx'

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
          <ApprovalList approvals={approvals} title="Waiting for your approval" />
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
  approved:
    'You approved the call. The agent can make it once, until the approval expires, unless what it changes is changed before.',
  refused: 'You refused the call. Nothing changed, and the agent was told.',
  used: 'You approved the call, and the agent made it. The approval is used up.',
}
