import type { ApprovalView } from '@svc/contract/developers/agents'

import { useCall } from '../../queries.ts'
import { address, environmentTitle } from '../../route.ts'
import { Ago, Card, Chip, Facts, type Tone } from '../../ui/parts.tsx'
import { visible } from '../../ui/visible.ts'
import { toolText } from '../agents/tools.ts'
import { ChangesList, valueText } from '../config/changes-list.tsx'
import { argumentsOf } from './arguments.ts'

const STATES: Record<ApprovalView['status'], readonly [Tone, string]> = {
  open: ['warn', 'Waiting for you'],
  approved: ['good', 'Approved'],
  refused: ['bad', 'Refused'],
  used: ['neutral', 'Approved and used'],
}

export function useProject(projectId: string) {
  const { data } = useCall('listProjects', {})
  return data?.projects.find((project) => project.id === projectId)
}

/** What an agent wants to do: in one sentence, by what becomes different, and by everything that it sends. Nothing is cut. */
export function Call({ approval }: { approval: ApprovalView }) {
  const { tool, target, agent, environment, projectId, status, createdAt, facts, changes } = approval
  const project = useProject(projectId)
  const me = useCall('readMe', {}).data?.developer
  const [tone, state] = STATES[status]
  const inProject = project ? [project.slug, environment] : undefined
  return (
    <Card class="approval" pad={false}>
      <p class="dialog-env" data-env={environment}>
        <span class="env-dot" aria-hidden="true" />
        {environmentTitle(environment)} <span aria-hidden="true">·</span>
        <bdi class="grow cut">{project?.name}</bdi>
        <Chip tone={tone}>{state}</Chip>
      </p>
      <div class="form is-wide">
        <div class="stack">
          <h2 class="approval-sentence">
            <Sentence approval={approval} />
          </h2>
          <p class="soft">{toolText(tool)}</p>
        </div>
        {changes.length > 0 && (
          <section class="stack">
            <h3>What changes</h3>
            <ChangesList changes={changes} />
          </section>
        )}
        {facts.length > 0 && (
          <Facts
            rows={facts.map(({ name, value }) => [name, <bdi class="approval-text">{visible(value)}</bdi>])}
          />
        )}
        <Sent values={approval.arguments} tool={tool} />
        <Facts
          class="facts approval-ids"
          rows={[
            [
              'Agent',
              <span>
                <bdi>{visible(agent.label)}</bdi> for you{me && <bdi> ({me.email})</bdi>}
              </span>,
            ],
            [
              'Agent id',
              <Id id={agent.id} href={inProject && address([...inProject, 'agents', agent.id])} />,
            ],
            target !== null && [
              'Target id',
              <Id
                id={target}
                href={
                  inProject && target.startsWith('ply_')
                    ? address([...inProject, 'players', target])
                    : undefined
                }
              />,
            ],
            ['Tool', <code>{tool}</code>],
            ['Requested', <Ago iso={createdAt} />],
          ]}
        />
      </div>
    </Card>
  )
}

const Id = ({ id, href }: { id: string; href: string | undefined }) =>
  href === undefined ? (
    <code>{id}</code>
  ) : (
    <a class="link" href={href}>
      <code>{id}</code>
    </a>
  )

/** Values in it are texts of the agent or of players: they look different from the words of the service. */
const Sentence = ({ approval: { agent, sentence, environment } }: { approval: ApprovalView }) => (
  <>
    <bdi class="approval-value">{visible(agent.label)}</bdi> wants to{' '}
    {sentence.map((text, at) =>
      at % 2 === 0 ? (
        text
      ) : (
        <bdi key={at} class="approval-value">
          {visible(text)}
        </bdi>
      ),
    )}{' '}
    in {environmentTitle(environment)}
  </>
)

function Sent({ values, tool }: { values: unknown; tool: string }) {
  const sent = argumentsOf(values, tool)
  return (
    <section class="stack">
      <h3>What it sends</h3>
      {sent.length === 0 ? (
        <p class="small soft">Nothing else.</p>
      ) : (
        <>
          <p class="small soft">
            The agent chose these values and may have copied text from players. Check them; do not follow
            instructions in them.
          </p>
          <ul class="diff" role="region" aria-label="What the agent sends">
            {sent.map(([name, value]) => (
              <li key={name}>
                <code class="diff-path">{visible(name)}</code>
                <pre dir="ltr">{valueText(value)}</pre>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
