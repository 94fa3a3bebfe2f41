import type { ProjectEntry } from '@svc/contract/developers/projects'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { compact, number, onDate } from '../../format.ts'
import { refresh, useCall } from '../../queries.ts'
import { isAllowed } from '../../roles.ts'
import { address, type EnvironmentParams, environmentTitle } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { EditIcon, MoreIcon, OverviewIcon, PlusIcon, TeamIcon, TrashIcon } from '../../ui/icons.ts'
import { Menu } from '../../ui/menu.tsx'
import { notify } from '../../ui/messages.tsx'
import { Page } from '../../ui/page.tsx'
import { Chip, Time } from '../../ui/parts.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'

const EVERY_MS = 15_000

type Dialog = { kind: 'rename' | 'delete'; project: ProjectEntry }

/** The projects of the developer and those shared with them, with the activity of both environments. */
export default function Projects() {
  const answer = useCall('listProjects', {}, { everyMs: EVERY_MS })
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  return (
    <Page
      title="Projects"
      side={
        <LinkButton kind="main" icon={PlusIcon} href={address(['new'])}>
          New project
        </LinkButton>
      }
    >
      <Loaded answer={answer} lines={6} inCard>
        {({ projects }) =>
          projects.length === 0 ? (
            <EmptyState inCard icon={OverviewIcon} title="No projects yet">
              A project has a development and a production environment, each with its own keys and players.
            </EmptyState>
          ) : (
            <ul class="project-list">
              {projects.map((project, index) => (
                <ProjectCard
                  isShown={index < SPARKS_MAX}
                  key={project.id}
                  project={project}
                  open={(kind) => setDialog({ kind, project })}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {dialog?.kind === 'rename' && <RenameDialog project={dialog.project} onClose={close} />}
      {dialog?.kind === 'delete' && (
        <ConfirmDialog
          title={
            <>
              Delete <bdi>{dialog.project.name}</bdi>?
            </>
          }
          label="Delete project"
          typed={dialog.project.slug}
          typedLabel="Project slug"
          submit="Delete project"
          act={() => call('deleteProject', { params: { projectId: dialog.project.id } })}
          onDone={() => {
            close()
            refresh('listProjects')
            notify(`${dialog.project.name} deleted.`)
          }}
          onClose={close}
        >
          <p>
            Deletes both environments with all players, saves, stats, versions and config. Keys stop working
            immediately. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </Page>
  )
}

const SPARK_DAYS = 14
/** Each line is a request of its own. */
const SPARKS_MAX = 12
const SPARK_EVERY_MS = 60_000

/** Active players of two weeks. */
function Spark({ projectId, env }: EnvironmentParams) {
  const { data } = useCall(
    'readActivity',
    { params: { projectId, env }, query: { days: SPARK_DAYS } },
    { everyMs: SPARK_EVERY_MS },
  )
  return data ? <Sparkline values={data.days.map(({ actives }) => actives)} length={SPARK_DAYS} /> : null
}

type CardProps = { project: ProjectEntry; isShown: boolean; open: (kind: Dialog['kind']) => void }

const ProjectCard = ({ project, isShown, open }: CardProps) => (
  <li class="card project-card">
    <header class="row">
      <span class="project-mark" aria-hidden="true">
        {Array.from(project.name)[0]}
      </span>
      <span class="grow stack tight">
        <h2 class="cut">
          <bdi>{project.name}</bdi>
        </h2>
        <span class="tiny faint cut">
          <code>{project.slug}</code> · <Time iso={project.createdAt}>{onDate(project.createdAt)}</Time>
        </span>
      </span>
      {project.role !== 'owner' && <Chip>{project.role}</Chip>}
      <Button
        small
        kind="quiet"
        icon={MoreIcon}
        label={`More about ${project.name}`}
        popovertarget={`more-${project.id}`}
      />
      <Menu id={`more-${project.id}`} label="More">
        <a href={address([project.slug, 'development', 'team'])}>
          <Icon of={TeamIcon} /> Team
        </a>
        {isAllowed('renameProject', { project, env: 'production' }) && (
          <button type="button" onClick={() => open('rename')}>
            <Icon of={EditIcon} /> Rename…
          </button>
        )}
        {isAllowed('deleteProject', { project, env: 'production' }) && (
          <button type="button" onClick={() => open('delete')}>
            <Icon of={TrashIcon} /> Delete…
          </button>
        )}
      </Menu>
    </header>
    <div class="project-environments">
      {project.environments.map(({ id, name, players, online, liveVersion }) => (
        <a key={id} data-env={name} href={address([project.slug, name, 'overview'])}>
          <span class="row env-name">
            <span class="env-dot" aria-hidden="true" />
            {environmentTitle(name)}
          </span>
          <span class="row">
            <span class="big-number tabular grow">{compact(players)}</span>
            {isShown && <Spark projectId={project.id} env={name} />}
          </span>
          <span class="tiny faint tabular">
            {players === 1 ? 'player' : 'players'}, {number(online)} online
          </span>
          <span class="tiny faint">
            {liveVersion === null ? 'nothing live' : `version ${liveVersion} is live`}
          </span>
        </a>
      ))}
    </div>
  </li>
)

function RenameDialog({ project, onClose }: { project: ProjectEntry; onClose: () => void }) {
  const [name, setName] = useState(project.name)
  const rename = useAction(async () => {
    await call('renameProject', { params: { projectId: project.id }, body: { name: name.trim() } })
    refresh('listProjects')
    onClose()
    notify('Project renamed.')
  })
  return (
    <FormDialog
      title="Rename project"
      about={
        <>
          The slug <code>{project.slug}</code> and all URLs stay the same.
        </>
      }
      submit="Rename"
      disabled={name.trim() === '' || name.trim() === project.name}
      action={rename}
      onClose={onClose}
    >
      <TextField label="Name" value={name} maxLength={80} change={setName} autofocus />
    </FormDialog>
  )
}
