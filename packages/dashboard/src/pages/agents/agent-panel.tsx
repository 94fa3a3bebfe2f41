import type { AgentView } from '@svc/contract/developers/agents'

import { useCall } from '../../queries.ts'
import { inProduction, type Route } from '../../route.ts'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Ago, Chip, CopiedId, Facts } from '../../ui/parts.tsx'
import { Loaded } from '../../ui/states.tsx'

const EVERY_MS = 5_000

/** `revoke` is undefined if the developer may not. */
type Props = { route: Route; revoke: ((agent: AgentView) => void) | undefined }

/** One agent: what it may do, and its last calls. */
export function AgentPanel({ route, revoke }: Props) {
  const answer = useCall(
    'readAgent',
    { params: { ...route.params, agentId: route.id } },
    { everyMs: EVERY_MS },
  )
  return (
    <Panel title="Agent" onClose={() => route.go('agents')}>
      <Loaded answer={answer} lines={8}>
        {({ agent, calls }) => (
          <div class="stack agent-panel">
            <h2>
              <bdi>{agent.label}</bdi>
            </h2>
            <CopiedId id={agent.id} />
            <Facts
              rows={[
                ['Created', <Ago iso={agent.createdAt} />],
                ['Ends', <Ago iso={agent.expiresAt} />],
                ['Last used', <Ago iso={agent.lastUsedAt} />],
                agent.client !== null && ['Client', <bdi>{agent.client}</bdi>],
                [
                  'Tools',
                  agent.tools.length === 0 ? (
                    'Read only'
                  ) : (
                    <span class="row wrap">
                      Read, and{' '}
                      {agent.tools.map((name) => (
                        <code key={name}>{name}</code>
                      ))}
                    </span>
                  ),
                ],
                agent.unattended && ['Approval', 'Not required'],
              ]}
            />
            {revoke && (
              <div>
                <Button small onClick={() => revoke(agent)}>
                  Revoke{inProduction(route)}…
                </Button>
              </div>
            )}
            <h3>Recent calls</h3>
            {calls.length === 0 ? (
              <p class="soft">None yet.</p>
            ) : (
              <ul class="list agent-calls">
                {calls.map(({ at, tool, outcome }, index) => (
                  <li key={calls.length - index} class="row">
                    <code class="grow cut">{tool}</code>
                    <Outcome of={outcome} />
                    <Ago iso={at} small />
                  </li>
                ))}
              </ul>
            )}
          </div>
        )}
      </Loaded>
    </Panel>
  )
}

/** What a call of an agent ended with. */
export const Outcome = ({ of: outcome }: { of: string }) => (
  <Chip tone={outcome === 'ok' ? 'good' : outcome === 'approval_required' ? 'accent' : 'bad'}>
    {outcome === 'ok' ? 'Done' : outcome === 'approval_required' ? 'Asked for approval' : outcome}
  </Chip>
)
