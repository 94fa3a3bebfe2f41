import { allowsRole } from '@svc/contract/common/roles'
import type { AgentView } from '@svc/contract/developers/agents'
import { useState } from 'preact/hooks'

import { call, type ResponseOf } from '../../developer.ts'
import { refresh, useCall } from '../../queries.ts'
import { inProduction, type Route } from '../../route.ts'
import { agentCommands, setUpCommands } from '../../set-up.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { AgentsIcon, PlusIcon, TrashIcon } from '../../ui/icons.ts'
import { notify } from '../../ui/messages.tsx'
import { Page } from '../../ui/page.tsx'
import { Ago, Chip, Snippet } from '../../ui/parts.tsx'
import { EmptyState, LoadedCard } from '../../ui/states.tsx'
import { ACTIONS, TableHead } from '../../ui/table-head.tsx'
import { ApprovalList } from '../approvals/approval-list.tsx'
import { AgentPanel } from './agent-panel.tsx'
import { NewAgentDialog } from './new-agent-dialog.tsx'

const EVERY_MS = 15_000
const APPROVALS_EVERY_MS = 5_000

type ListedAgent = ResponseOf<'listAgents'>['agents'][number]

/** The agents of an environment: what waits for an approval, create, last calls, revoke. */
export default function Agents({ route }: { route: Route }) {
  const answer = useCall('listAgents', { params: route.params }, { everyMs: EVERY_MS })
  const approvals = useCall('listApprovals', {}, { everyMs: APPROVALS_EVERY_MS })
  const [isCreating, setCreating] = useState(false)
  const [revoked, setRevoked] = useState<AgentView>()
  const changed = () => refresh('listAgents', 'readAgent', 'listApprovals', 'listAudit')
  const open = approvals.data?.approvals.filter(
    ({ projectId, environment }) => projectId === route.project.id && environment === route.env,
  )
  return (
    <Page
      title="Agents"
      class={route.id ? 'with-panel' : ''}
      side={
        <Button kind="main" icon={PlusIcon} onClick={() => setCreating(true)}>
          New agent
        </Button>
      }
    >
      <p class="soft page-about">
        Agents are programs that work on your game for you, each with its own token for {route.env}. They can
        read, change only what you allow, and wait for your approval before anything destructive.
      </p>
      {open && open.length > 0 && <ApprovalList approvals={open} title="Waiting for your approval" />}
      <LoadedCard class="table-card" answer={answer} lines={4}>
        {({ agents }) =>
          agents.length === 0 ? (
            <EmptyState icon={AgentsIcon} title="No agents yet">
              <p>Create one here, or in your project folder:</p>
              <Snippet
                label="Commands"
                code={`${setUpCommands(route.project.slug)}\n${agentCommands(route.env)}`}
              />
            </EmptyState>
          ) : (
            <AgentsTable route={route} agents={agents} revoke={setRevoked} />
          )
        }
      </LoadedCard>
      {route.id && (
        <AgentPanel
          route={route}
          revoke={
            answer.data?.agents.some((one) => one.id === route.id && mayEnd(one, route))
              ? setRevoked
              : undefined
          }
        />
      )}
      {isCreating && <NewAgentDialog route={route} onCreated={changed} onClose={() => setCreating(false)} />}
      {revoked && (
        <ConfirmDialog
          route={route}
          title={
            <>
              Revoke <bdi>{revoked.label}</bdi>?
            </>
          }
          label="Revoke agent"
          typed={revoked.label}
          typedLabel="Agent label"
          submit={`Revoke${inProduction(route)}`}
          act={() => call('revokeAgent', { params: { ...route.params, agentId: revoked.id } })}
          onDone={() => {
            setRevoked(undefined)
            if (route.id) route.go('agents', '', {}, { replace: true })
            changed()
            notify('Agent revoked.')
          }}
          onClose={() => setRevoked(undefined)}
        >
          <p>Its token stops working within a second. This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </Page>
  )
}

type TableProps = { route: Route; agents: readonly ListedAgent[]; revoke: (agent: AgentView) => void }

const AgentsTable = ({ route, agents, revoke }: TableProps) => (
  <table class="table">
    <TableHead columns={['Agent', ['Ends', 'col-joined'], 'Last used', ACTIONS]} />
    <tbody>
      {agents.map((agent) => (
        <tr key={agent.id} aria-current={agent.id === route.id ? 'true' : undefined}>
          <td>
            <span class="stack tight cell">
              <span class="row">
                <a class="link cut" href={route.href('agents', agent.id)}>
                  <bdi>{agent.label}</bdi>
                </a>
                <Rights of={agent} />
                {!agent.developer.isYou && <Chip>{agent.developer.email ?? 'Deleted account'}</Chip>}
              </span>
            </span>
          </td>
          <td class="soft col-joined">
            <Ago iso={agent.expiresAt} />
          </td>
          <td class="soft">
            <Ago iso={agent.lastUsedAt} />
          </td>
          <td class="num">
            {mayEnd(agent, route) && (
              <Button
                small
                kind="quiet"
                icon={TrashIcon}
                label={`Revoke ${agent.label}`}
                onClick={() => revoke(agent)}
              />
            )}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** Everybody ends the own agents, admins and the owner all. */
const mayEnd = ({ developer }: ListedAgent, { project }: Route): boolean =>
  developer.isYou || allowsRole('admin', project.role)

/** What an agent may do, in a word or two. */
export const Rights = ({ of: { tools, unattended } }: { of: AgentView }) => (
  <>
    <Chip tone={tools.length === 0 ? 'good' : 'warn'}>
      {tools.length === 0 ? 'Read only' : `Read, ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`}
    </Chip>
    {unattended && <Chip tone="bad">Unattended</Chip>}
  </>
)
