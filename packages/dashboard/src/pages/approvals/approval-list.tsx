import type { ApprovalEntry } from '@svc/contract/developers/agents'

import { address } from '../../route.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { AgentsIcon } from '../../ui/icons.ts'
import { Ago, Card } from '../../ui/parts.tsx'
import { visible } from '../../ui/visible.ts'

type Props = { approvals: readonly ApprovalEntry[]; title: string }

/** Calls that wait for a decision; each has a page of its own. */
export const ApprovalList = ({ approvals, title }: Props) => (
  <Card title={title} pad={false}>
    <ul class="changes">
      {approvals.map(({ id, summary, agent, createdAt }) => (
        <li key={id}>
          <span class="change-icon">
            <Icon of={AgentsIcon} size={14} />
          </span>
          <span class="grow">
            <bdi class="soft">{visible(agent.label)}:</bdi> <bdi>{summary}</bdi>
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
