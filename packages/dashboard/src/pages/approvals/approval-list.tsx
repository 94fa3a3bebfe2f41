import type { ApprovalView } from '@svc/contract/developers/agents'

import { address, environmentTitle } from '../../route.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { AgentsIcon } from '../../ui/icons.ts'
import { Ago, Card } from '../../ui/parts.tsx'

type Props = { approvals: readonly ApprovalView[]; title: string; showsEnvironment?: boolean }

/** Calls that wait for a decision; each has a page of its own. */
export const ApprovalList = ({ approvals, title, showsEnvironment = false }: Props) => (
  <Card title={title} pad={false}>
    <ul class="changes">
      {approvals.map(({ id, tool, agent, environment, createdAt }) => (
        <li key={id}>
          <span class="change-icon">
            <Icon of={AgentsIcon} size={14} />
          </span>
          <span class="grow">
            <bdi class="soft">{agent.label}</bdi> wants to call <code>{tool}</code>
            {showsEnvironment && <span class="soft"> in {environmentTitle(environment)}</span>}
          </span>
          <Ago iso={createdAt} small />
          <LinkButton small href={address(['approvals', id])}>
            Review
          </LinkButton>
        </li>
      ))}
    </ul>
  </Card>
)
